import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { request as requestOverTls } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { parse } from 'yaml'
import type { ControlPlane } from '../../../sandbox/control-plane.ts'
import { imageOverride } from '../../builders.ts'
import { aSource, DEADLINE_MS, type Place, placeIn } from '../../integration/product.ts'
import { usesPlugin } from './plugin.ts'
import { created, usesEverything } from './scenes.ts'

const PAIR = { user: 'admin', namespace: 'pair' } as const

/** The API server for somebody who has looked, and whose commands are held on their way. */
async function slowWay({ server, caFile, kubeconfig }: ControlPlane) {
  const ca = readFileSync(caFile)
  // no client sends a token without TLS
  const authorization = `Bearer ${parse(readFileSync(kubeconfig, 'utf8')).users[0].user.token}`
  const held: (() => void)[] = []
  let isHeld = true
  const forward = (request: IncomingMessage, response: ServerResponse) => {
    const { method, headers, url = '' } = request
    const { host, ...others } = headers
    const onward = requestOverTls(
      new URL(url, server),
      { method, headers: { ...others, authorization }, ca },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
        answer.pipe(response)
      },
    )
    request.pipe(onward)
  }
  const proxy = createServer((request, response) => {
    if (isHeld && request.method === 'PATCH') held.push(() => forward(request, response))
    else forward(request, response)
    proxy.emit('seen')
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  return {
    flag: `--server=http://127.0.0.1:${port}`,
    /** Resolves when somebody's command is held. */
    async holds(): Promise<void> {
      while (held.length === 0) await once(proxy, 'seen')
    },
    release(): void {
      isHeld = false
      for (const go of held.splice(0)) go()
    },
    close(): void {
      proxy.closeAllConnections()
      proxy.close()
    },
  }
}

describe('two people who steer one run, on the real control plane', function () {
  this.timeout(2 * DEADLINE_MS)
  const plane = usesEverything()
  const plugin = usesPlugin()
  let place: Place
  const step = (name: string, text: string) => place.shows(name, text, ({ status }) => status?.strategy?.step === text)
  const give = (...words: readonly string[]) => plugin().kubectl(['experiment', ...words], { as: PAIR })

  before('two runs that wait at their first step', async () => {
    await plane().api.create('/api/v1/namespaces', { metadata: { name: PAIR.namespace } })
    place = await placeIn(PAIR.namespace)
    const pauses = [{ pause: {} }, { pause: {} }, { pause: {} }]
    for (const name of ['resumed', 'aborted']) {
      await aSource(place, name)
      const strategy = { canary: { steps: [{ setWeight: 50 }, ...pauses] } }
      await created(place, name, { source: name, overrideSpec: imageOverride('registry.example/cart:2'), strategy })
      await step(name, '1/7 Paused')
    }
  })

  /** What one person is told whose command arrives when the other one has resumed the run. */
  async function late(verb: string, name: string) {
    const way = await slowWay(plane())
    try {
      const first = give(verb, name, way.flag)
      await Promise.race([way.holds(), first.then(({ stderr }) => expect.fail(stderr))])
      expect((await give('resume', name)).code).to.equal(0)
      await step(name, '2/7 Paused')
      way.release()
      return await first
    } finally {
      way.close()
    }
  }

  it('lets one resume a step, and tells the other one that she has seen another', async () => {
    const { code, stderr } = await late('resume', 'resumed')
    expect([code, stderr]).to.deep.equal([
      1,
      'error: resumed has changed meanwhile: it is now at step 3 of 7, Paused\n' +
        'Look at it, and decide again: kubectl experiment get resumed --namespace=pair\n',
    ])
    expect((await place.experimentAt('resumed')).status?.strategy?.step).to.equal('2/7 Paused')
    expect((await give('resume', 'resumed')).code).to.equal(0)
    await step('resumed', '3/7 Paused')
  })

  it('aborts all the same', async () => {
    const { code, stderr } = await late('abort', 'aborted')
    expect(code, stderr).to.equal(0)
    await place.reaches('aborted', 'Aborted')
  })
})
