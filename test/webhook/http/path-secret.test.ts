import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'chai'
import { at } from '../../../common/json/json.ts'
import { close, listen } from '../../../common/program/listen.ts'
import { inFlight } from '../../../webhook/http/in-flight.ts'
import { requirePathSecret } from '../../../webhook/http/path-secret.ts'
import { admissionApp } from '../../../webhook/http/server.ts'
import { validator } from '../../../webhook/validate.ts'
import { aDeployment } from '../../builders.ts'
import { aReader } from '../../fakes/reader.ts'
import { diaryLog } from '../../virtual-time.ts'
import { defaults } from '../asking.ts'
import { aReview, validatorDeps } from '../reviews.ts'

const [OLD, NEW] = ['o'.repeat(64), 'n'.repeat(64)]
const HEADERS = { 'content-type': 'application/json', connection: 'close' }

/** Serves the webhook, which accepts these secrets, over a cluster with one Deployment. */
async function serving(
  secrets: { accepted: readonly string[] },
  story: (served: {
    readonly port: number
    readonly post: (path: string) => Promise<{ readonly status: number; readonly text: string }>
    readonly reader: ReturnType<typeof aReader>
    readonly log: ReturnType<typeof diaryLog>
    readonly flight: ReturnType<typeof inFlight>
  }) => Promise<void>,
): Promise<void> {
  const [reader, log, flight] = [aReader([aDeployment()]), diaryLog(), inFlight()]
  const validate = validator(validatorDeps(reader.kube, undefined))
  const guards = [requirePathSecret(secrets)]
  const server = createServer(admissionApp({ mutate: defaults, validate, log, flight, guards }))
  const port = await listen(server, 0, '127.0.0.1')
  const post = async (path: string) => {
    const options = { method: 'POST', headers: HEADERS, body: JSON.stringify(aReview()) }
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, options)
    return { status: answer.status, text: await answer.text() }
  }
  try {
    await story({ port, post, reader, log, flight })
  } finally {
    await close(server)
  }
}

describe('requirePathSecret', () => {
  const wrong = ['/validate', '/mutate', '/validate/', `/validate/${'x'.repeat(64)}`, `/validate/${OLD}/`]
  const odd = [
    `/validate/${OLD}x`,
    `/validate//${OLD}`,
    `/validate/%6F${OLD.slice(1)}`,
    `/validate?${OLD}`,
    `/x/${OLD}`,
  ]
  for (const path of [...wrong, ...odd])
    it(`S4: answers 404 at ${path.slice(0, 20)}, and asks the API server nothing`, () =>
      serving({ accepted: [OLD] }, async ({ post, reader, log }) => {
        expect(await post(path)).to.deep.equal({
          status: 404,
          text: 'not found; this server has POST /mutate and POST /validate\n',
        })
        expect([reader.asked, reader.reviews, log.lines]).to.deep.equal([[], [], []])
      }))

  it('S4: does not read the body of a caller without the secret', () =>
    serving({ accepted: [OLD] }, async ({ port, flight }) => {
      const socket = connect(port, '127.0.0.1')
      const head = `POST /validate HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 9000\r\n\r\n`
      socket.write(`${head}{`)
      expect(String((await once(socket, 'data'))[0])).to.match(/^HTTP\/1\.1 404 /)
      expect([flight.arriving.size, flight.bytes.used]).to.deep.equal([0, 0])
      socket.destroy()
    }))

  it('S4: answers the API server, which has the secret, on both paths', () =>
    serving({ accepted: [OLD] }, async ({ post, reader }) => {
      for (const path of [`/mutate/${OLD}?timeout=2s`, `/validate/${OLD}?timeout=5s`]) {
        const { status, text } = await post(path)
        expect(status).to.equal(200)
        expect(at(JSON.parse(text), 'response', 'allowed')).to.equal(true)
      }
      expect(reader.reviews).to.not.deep.equal([])
    }))

  it('S4: accepts the old and the new secret while both are there', async () => {
    const secrets: { accepted: readonly string[] } = { accepted: [OLD] }
    await serving(secrets, async ({ post }) => {
      const statuses = async () => [(await post(`/validate/${OLD}`)).status, (await post(`/validate/${NEW}`)).status]
      expect(await statuses()).to.deep.equal([200, 404])
      secrets.accepted = [OLD, NEW]
      expect(await statuses()).to.deep.equal([200, 200])
      secrets.accepted = [NEW]
      expect(await statuses()).to.deep.equal([404, 200])
    })
  })

  it('accepts any caller without a secret, whatever segment it sends, as while the secret is set up', () =>
    serving({ accepted: [] }, async ({ post }) => {
      expect((await post('/validate')).status).to.equal(200)
      expect((await post(`/validate/${NEW}`)).status).to.equal(200)
    }))
})
