import { expect } from 'chai'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { json, type Respond, type ServedClient, serveClient } from '../../../fakes/wire.ts'

const POD = { kind: 'Pod', metadata: { name: 'cart' } }

describe('KubeClient.request: onWarning', () => {
  let here: ServedClient | undefined
  afterEach(async () => {
    await here?.close()
    here = undefined
  })

  async function warned(...answers: readonly Respond[]): Promise<readonly string[]> {
    here = await serveClient(answers)
    const texts: string[] = []
    await here.client
      .request({ verb: 'get', path: '/api/v1/namespaces/shop/pods/cart', onWarning: (text) => texts.push(text) })
      .catch((error: unknown) => {
        if (!(error instanceof KubeError)) throw error
      })
    return texts
  }

  const warning = (...values: readonly string[]): Respond =>
    function respond(_, response) {
      response.setHeader('warning', [...values])
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(POD))
    }

  it('is called for each warning of an answer', async () =>
    expect(await warned(warning('299 - "[Plan] a", 299 - "[Plan] b"', '299 - "[Plan] c"'))).to.deep.equal([
      '[Plan] a',
      '[Plan] b',
      '[Plan] c',
    ]))

  it('gets the characters that the API server writes as UTF-8', async () =>
    expect(await warned(warning(Buffer.from('299 - "5 €"').toString('latin1')))).to.deep.equal(['5 €']))

  it('is called for a refusal, too', async () =>
    expect(await warned(json(422, { kind: 'Status', reason: 'Invalid' }, { warning: '299 - "a"' }))).to.deep.equal([
      'a',
    ]))

  it('gets a text once, also if the second try brings it again', async () => {
    const unavailable = json(503, { kind: 'Status' }, { warning: '299 - "a"' })
    expect(await warned(unavailable, warning('299 - "a", 299 - "b"'))).to.deep.equal(['a', 'b'])
    expect(here?.seen).to.have.length(2)
  })
})
