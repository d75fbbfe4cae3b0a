import { expect } from 'chai'
import { CHECKS } from '../../../cli/doctor/checks.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import type { Timers } from '../../../common/program/clock.ts'
import { aPlugin } from '../a-plugin.ts'
import { lease } from './an-installation.ts'

const LEASE = '/apis/coordination.k8s.io/v1/namespaces/experiment-controller-system/leases/experiment-controller'

/** Timers whose time passes when somebody waits for it. */
const passing = (onPause: () => void): Timers => {
  let now = 0
  return {
    now: () => now,
    after: (delayMs, run) => {
      now += delayMs
      onPause()
      queueMicrotask(run)
      return () => undefined
    },
  }
}

describe('doctor', () => {
  it('has a line for each check, with what to do below it, and ends with 1 if one is bad', async () => {
    const { code, out } = await aPlugin({ objects: {} }).run('doctor')
    expect(code).to.equal(1)
    const lines = out.split('\n')
    expect(lines.slice(0, 3)).to.deep.equal([
      '✖ bad      crds                    missing: clusterexperimentanalysistemplates.experimentcontroller.example.com, experimentanalysisproviders.experimentcontroller.example.com and 4 more',
      '    -> Apply the CRDs of this version: kubectl apply -k crds',
      '✖ bad      webhook-configurations  there is no ValidatingWebhookConfiguration experiment-deployment-controller, there is no MutatingWebhookConfiguration experiment-deployment-controller',
    ])
    expect(out).to.contain('· unknown  validating-webhook      needs crds\n')
    for (const { name } of CHECKS) expect(lines.filter((line) => line.includes(` ${name} `))).to.have.lengthOf(1)
  })

  it('gives the same as JSON', async () => {
    const { code, out } = await aPlugin({ objects: {} }).run('doctor', '-o', 'json')
    expect(code).to.equal(1)
    const { checks } = JSON.parse(out)
    expect(checks.map(({ name }: { readonly name: string }) => name)).to.deep.equal(CHECKS.map(({ name }) => name))
    expect(checks[0]).to.have.all.keys('name', 'result', 'seen', 'remedy')
    expect(checks[2]).to.deep.equal({ name: 'validating-webhook', result: 'unknown', seen: 'needs crds' })
  })

  it('repeats it while something is bad, and prints only what changes', async () => {
    let pauses = 0
    const timers = passing(() => {
      pauses += 1
      if (pauses === 2) plugin.cluster.put(LEASE, lease(1))
    })
    const plugin = aPlugin({ objects: {}, io: { timers } })
    const { code, out } = await plugin.run('doctor', '--wait', '10s')
    expect(code).to.equal(1)
    expect(pauses).to.equal(5)
    expect(out.match(/ crds /g)).to.have.lengthOf(1)
    expect(out.split('\n').at(-1)).to.equal('')
  })

  it('fails where no API server answers, as every command does', async () => {
    const plugin = aPlugin({ objects: {} })
    plugin.cluster.request = async () => {
      throw new KubeError({ kind: 'unreachable', message: 'ECONNREFUSED' })
    }
    const { code, err } = await plugin.run('doctor')
    expect([code, err.split('\n')[0]]).to.deep.equal([1, 'error: the API server cannot be reached: ECONNREFUSED'])
  })

  it('is not used with another form, or without a unit of time', async () => {
    expect((await aPlugin().run('doctor', '-o', 'yaml')).code).to.equal(2)
    expect((await aPlugin().run('doctor', '--wait', '5')).code).to.equal(2)
  })
})
