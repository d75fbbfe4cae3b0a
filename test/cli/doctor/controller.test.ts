import { expect } from 'chai'
import { controller } from '../../../cli/doctor/controller.ts'
import type { Timers } from '../../../common/program/clock.ts'
import { lease, program, someFacts } from './an-installation.ts'

/** Timers that do not wait. */
const atOnce: Timers = {
  now: () => 0,
  after: (_, run) => {
    queueMicrotask(run)
    return () => undefined
  },
}
const looked = async (...[broken, more]: Parameters<typeof someFacts>) =>
  controller.look((await someFacts(broken, { timers: atOnce, ...more })).facts)

const withPods = (replicas: number, availableReplicas: number) => {
  const of = program('experiment-webhook')
  return { ...of, spec: { ...(of.spec as object), replicas }, status: { availableReplicas } }
}

describe('the check of the controller', () => {
  it('is ok where a replica leads and all pods are available', async () => {
    expect(await looked()).to.deep.equal({ result: 'ok', seen: 'pod-1 leads' })
  })

  it('is bad where nobody holds the Lease, or the holder does not renew it', async () => {
    const remedy =
      'Restart it: kubectl rollout restart deployment/experiment-controller --namespace=platform. If that does not help, read: kubectl logs deployment/experiment-controller --namespace=platform'
    const nobody = { result: 'bad', seen: 'nobody holds the Lease experiment-controller', remedy }
    expect(await looked({ without: ['Lease'] })).to.deep.equal(nobody)
    expect(await looked({ objects: [lease(1, '')] })).to.deep.equal(nobody)
    expect((await looked({ objects: [lease(31)] })).seen).to.match(
      /^pod-1 holds the Lease and has not renewed it since \d{4}-/,
    )
    expect(await looked({ objects: [lease(29)] })).to.include({ result: 'ok' })
    expect(await looked({ objects: [lease(-29)] })).to.include({ result: 'ok' })
    // nobody renews it, and the clock here is ten minutes behind
    expect(await looked({ objects: [lease(60 - 600)] })).to.include({ result: 'bad' })
  })

  it('takes a Lease for renewed that changes, whatever the clock here says', async () => {
    const { facts } = await someFacts({ objects: [lease(90)] }, { timers: atOnce })
    const later = await someFacts({ objects: [lease(88)] })
    let reads = 0
    const cluster = {
      ...facts.cluster,
      get: (...of: Parameters<typeof facts.cluster.get>) => {
        reads += 1
        return (reads === 1 ? facts : later.facts).cluster.get(...of)
      },
    }
    expect(await controller.look({ ...facts, cluster })).to.include({ result: 'ok' })
  })

  it('says what the Deployments lack', async () => {
    expect(await looked({ without: ['Deployment experiment-webhook'] })).to.deep.equal({
      result: 'bad',
      seen: 'there is no Deployment experiment-webhook in platform',
      remedy: 'Apply your overlay again: kubectl apply -k overlay',
    })
    expect(await looked({ objects: [withPods(0, 0)] })).to.deep.equal({
      result: 'bad',
      seen: 'Deployment experiment-webhook is scaled to 0',
      remedy: 'Scale it: kubectl scale deployment/experiment-webhook --replicas=3 --namespace=platform',
    })
    expect(await looked({ objects: [withPods(3, 0)] })).to.include({ result: 'bad' })
    expect(await looked({ objects: [withPods(3, 2)] })).to.include({
      result: 'warn',
      seen: '2 of 3 pods of Deployment experiment-webhook are available',
    })
  })

  it('needs no Deployment where the webhook is called by its address', async () => {
    const { facts } = await someFacts({ without: ['Deployment'] })
    const installation = { ...facts.installation, isByUrl: true }
    expect(await controller.look({ ...facts, installation })).to.include({ result: 'ok', seen: 'pod-1 leads' })
  })

  it('is not known to somebody who may not read it', async () => {
    expect(await looked({ unread: ['Lease'] })).to.deep.equal({ result: 'unknown', seen: 'you cannot get Lease' })
    expect(await looked({ unread: ['Deployment'] })).to.include({ result: 'unknown' })
  })
})
