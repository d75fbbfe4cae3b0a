/** A provider whose answers and whose credential have marks, so that they can be searched for. */
import { mkdtemp, writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { newAuthority, newLeaf } from '../../certs/authority.ts'
import { ANALYSIS_PROVIDER } from '../../common/api/names.ts'
import { at, type JsonObject } from '../../common/json/json.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { WITH_ANALYSIS } from '../../sandbox/installation.ts'
import { type Served, serve } from '../fakes/wire.ts'
import { usesControlPlane } from '../integration/fixture.ts'
import { DEADLINE_MS, installation } from '../integration/product.ts'

/** What no object, log or metric may have. */
export const MARKS = { credential: 'marked-credential-1b7d', body: 'marked-body-9c2e' } as const

/** The providers: what they answer, with which type. */
const PROVIDERS = {
  deciding: 'Plugin',
  failing: 'Prometheus',
  refusing: 'Prometheus',
  redirecting: 'Web',
  endless: 'Web',
  counting: 'Web',
} as const

const DAYS = 2
const CREDENTIAL = 'marked'

const body = MARKS.body

/** What a decision is, by the arg `decision` of the metric; and answers of servers that are broken, each with marks. */
const ANSWERS: Readonly<Record<keyof typeof PROVIDERS, RequestListener>> = {
  deciding: async (request, response) => {
    const asked = (await json(request)) as JsonObject
    const decision = at(asked, 'metric', 'args', 'decision')
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ decision, [body]: body }))
  },
  failing: (_, response) =>
    response.writeHead(500, body, { 'content-type': 'text/html', 'x-marked': body }).end(`<p>${body}`),
  refusing: (_, response) =>
    response
      .writeHead(422, { 'content-type': 'application/json' })
      .end(JSON.stringify({ status: 'error', errorType: body, error: body, warnings: [body] })),
  redirecting: (_, response) => response.writeHead(302, { location: `https://127.0.0.1/${body}` }).end(body),
  endless: (_, response) => response.writeHead(200, { 'set-cookie': body }).end(`{"value": "${body}`),
  counting: (_, response) => response.end(JSON.stringify({ fork: 1, source: 1, [body]: body, others: [body] })),
}

/**
 * In a `describe`, before `usesProduct`: the product logs all that it can log, and the providers exist. Their requests
 * have the credential.
 */
export function usesMarkedProviders(): () => Served {
  const plane = usesControlPlane()
  let served: Served | undefined
  before('the product and its providers run', async function () {
    this.timeout(4 * DEADLINE_MS)
    const { stateDirectory, api } = plane()
    const ANALYSIS_CREDENTIALS = await mkdtemp(join(stateDirectory, 'credentials-'))
    await writeFile(join(ANALYSIS_CREDENTIALS, CREDENTIAL), MARKS.credential)
    await installation(WITH_ANALYSIS, { ANALYSIS_LOOPBACK: 'allow', ANALYSIS_CREDENTIALS, LOG_LEVEL: 'debug' })
    const clock = () => new Date()
    const authority = await newAuthority({ clock, days: DAYS })
    const leaf = await newLeaf(authority, { names: ['127.0.0.1'], clock, days: DAYS })
    served = await serve((request, response) => {
      const name = request.url?.split('/')[1] as keyof typeof PROVIDERS
      ANSWERS[name](request, response)
    }, leaf)
    const caBundle = Buffer.from(authority.cert).toString('base64')
    for (const [name, type] of Object.entries(PROVIDERS)) {
      const address = `https://127.0.0.1:${served.port}/${name}`
      const spec = { type, address, namespaceSelector: {}, lagSeconds: 0, credential: CREDENTIAL, caBundle }
      const { apiVersion, kind } = ANALYSIS_PROVIDER
      await api.create(resourcePath(ANALYSIS_PROVIDER), { apiVersion, kind, metadata: { name }, spec })
    }
  })
  after(() => served?.close())
  return () => {
    if (!served) throw new Error('the providers run while tests run')
    return served
  }
}
