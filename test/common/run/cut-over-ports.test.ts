import { expect } from 'chai'
import type { KubeObject } from '../../../common/api/object.ts'
import { type JsonObject, objectOr } from '../../../common/json/json.ts'
import { aService } from '../plan/simulated-services.ts'
import { aSource } from '../plan/some-run.ts'
import { aBlueGreen, ID, pinsOf } from './blue-greens.ts'

/** A Service that sends to these ports of its pods. */
const sendingTo = (name: string, ...targets: readonly (string | number)[]): KubeObject => {
  const service = aService(name)
  const ports = targets.map((targetPort, at) => ({ name: `p${at}`, port: 80 + at, targetPort }))
  return { ...service, spec: { ...objectOr(service.spec), ports } }
}

/** A source of which a container has the port `http`; an override of the whole list of containers drops it. */
const named = () => {
  const source = aSource()
  const containers = [{ name: 'cart', image: 'example/cart:1', ports: [{ name: 'http', containerPort: 8080 }] }]
  const template = { metadata: { labels: { app: 'cart' } }, spec: { containers } }
  return { ...source, spec: { ...(source.spec as JsonObject), template } }
}

const LOST = 'sends to the port http, which no container of the fork has'

describe('a blue-green whose fork lacks a named port', () => {
  const run = (preview: KubeObject, active = aService('cart')) => {
    const run = aBlueGreen()
    run.world.source = named()
    run.world.services = { active, preview }
    run.rest()
    return run
  }

  it('does not limit the preview to it, says which port is missing, and goes on when no Service needs it', () => {
    const waiting = run(sendingTo('cart-preview', 'http'))
    expect([waiting.step(), pinsOf(waiting)]).to.deep.equal(['1/10 Progressing', ['shared', 'shared']])
    expect([waiting.reasonOf('Ready'), waiting.reasonOf('Stalled')]).to.deep.equal(['PortMissing', 'PortMissing'])
    expect(waiting.messageOf('Ready')).to.equal(`service/cart-preview ${LOST}`)
    waiting.world.services = { active: aService('cart'), preview: sendingTo('cart-preview', 8080) }
    waiting.rest()
    expect([waiting.step(), pinsOf(waiting)]).to.deep.equal(['2/10 Paused', ['shared', ID]])
  })

  it('does not limit the active Service to it, also if that sends to other ports that it has', () => {
    const waiting = run(aService('cart-preview'), sendingTo('cart', 'http', 9090))
    expect(waiting.step()).to.equal('2/10 Paused')
    waiting.say('resume')
    waiting.rest()
    expect([waiting.step(), pinsOf(waiting)]).to.deep.equal(['4/10 Progressing', ['shared', ID]])
    expect(waiting.messageOf('Ready')).to.equal(`service/cart ${LOST}`)
  })

  it('says so of a preview that is limited to it already, because its slices will list no pod', () => {
    const waiting = run(aService('cart-preview', {}))
    waiting.say('abort')
    waiting.rest()
    waiting.say('retry')
    waiting.world.traffic = { services: [], slices: [] }
    waiting.rest()
    expect([waiting.step(), pinsOf(waiting)]).to.deep.equal(['1/10 Progressing', ['shared', ID]])
    const { preview } = waiting.world.services ?? {}
    const ports = [{ port: 80, targetPort: 'http' }]
    waiting.world.services = {
      active: aService('cart'),
      ...(preview ? { preview: { ...preview, spec: { ...objectOr(preview.spec), ports } } } : {}),
    }
    waiting.rest()
    expect(waiting.reasonOf('Ready')).to.equal('PortMissing')
  })
})
