import { expect } from 'chai'
import { KubeError } from '../../../../common/kube/client/errors.ts'
import { collect } from '../../../collect.ts'
import { json, type Respond, type ServedClient, serveClient, silence } from '../../../fakes/wire.ts'

const PATH = '/apis/apps/v1/deployments'

describe('KubeClient.stream', () => {
  let here: ServedClient | undefined
  const serving = async (...answers: Respond[]): Promise<ServedClient> => {
    here = await serveClient(answers)
    return here
  }
  afterEach(() => here?.close())

  const stream = (served: ServedClient, signal = new AbortController().signal) =>
    served.client.stream({ path: PATH, query: { watch: true }, signal })

  it('returns lines in order, also when a character spans chunks', async () => {
    const bytes = Buffer.from('{"a":"ü€😀"}\n{"b":2}\n')
    const served = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const send = (at: number) => {
        if (at === bytes.length) response.end()
        else response.write(bytes.subarray(at, at + 1), () => send(at + 1))
      }
      send(0)
    })
    expect(await collect(await stream(served))).to.deep.equal(['{"a":"ü€😀"}', '{"b":2}'])
    expect(served.seen[0]?.line).to.equal(`GET /root${PATH}?watch=true`)
  })

  it('throws when the connection breaks', async () => {
    const served = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"a":1}\n{"b"', () => response.destroy())
    })
    const lines: string[] = []
    const read = async () => {
      for await (const line of await stream(served)) lines.push(line)
      return 'ended'
    }
    expect(await read().catch(() => 'threw')).to.equal('threw')
    expect(lines).to.deep.equal(['{"a":1}'])
  })

  it('ends with the reason of an abort', async () => {
    const caller = new AbortController()
    const served = await serving((_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.write('{"a":1}\n')
    })
    const lines = await stream(served, caller.signal)
    const read = async () => {
      for await (const _ of lines) caller.abort(new Error('enough'))
    }
    expect(await read().catch((error: Error) => error.message)).to.equal('enough')
  })

  for (const [what, { answer, kind }] of Object.entries<{ answer: Respond; kind: string }>({
    '410': { answer: json(410, { kind: 'Status', reason: 'Expired' }), kind: 'gone' },
    'a Status': { answer: json(403, { kind: 'Status', message: 'User "x" cannot watch' }), kind: 'forbidden' },
    'HTML with 200': { answer: (_, response) => void response.end('<html>\n'), kind: 'unreachable' },
  }))
    it(`does not open after ${what}`, async () => {
      const error = await stream(await serving(answer)).catch((error: unknown) => error)
      expect(error).to.be.instanceOf(KubeError).and.to.include({ kind })
    })

  it('reads the kubeconfig again after 401', async () => {
    const served = await serving(json(401, { kind: 'Status' }), json(200, {}))
    await collect(await stream(served))
    expect(served.seen).to.have.length(2)
  })

  it('does not open after an abort', async () => {
    const caller = new AbortController()
    const served = await serving(silence)
    const opening = stream(served, caller.signal)
    caller.abort(new Error('enough'))
    expect(await opening.catch((error: Error) => error.message)).to.equal('enough')
  })
})
