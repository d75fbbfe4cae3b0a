/** What somebody who reaches the port of the webhook tries, by the words of docs/rights.md. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Agent, request } from 'undici'
import { anExperiment } from '../../builders.ts'
import { aReview } from '../../webhook/reviews.ts'
import { controlPlane } from '../fixture.ts'
import { aReplica, aSecret } from '../webhook-process.ts'
import type { Action } from './world.ts'

const PATH_SECRET = 's'.repeat(64)

/** Sends a review in the name of an admin. An override that loses the image of the source makes the answer name it. */
const forgeReview =
  (hasPathSecret: boolean): Action =>
  async (_who, { stock }) => {
    const [plane, secret, directory] = [await controlPlane(), await aSecret(), mkdtempSync(join(tmpdir(), 'path-'))]
    if (hasPathSecret) writeFileSync(join(directory, 'current'), PATH_SECRET)
    const replica = await aReplica(plane, { ...secret, env: { ...secret.env, PATH_SECRETS_DIR: directory } })
    const dispatcher = new Agent({ connect: { ca: secret.pair.ca } })
    try {
      const template = { spec: { containers: [{ name: 'cart', image: 'guess' }] } }
      const object = anExperiment({ overrideSpec: { template }, sourceRef: { kind: 'Deployment', name: 'cart' } })
      const userInfo = { username: 'admin', groups: ['system:masters'] }
      const answer = await request(`https://127.0.0.1:${replica.port}/validate`, {
        dispatcher,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(aReview({ namespace: stock.namespace, object, userInfo })),
      })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) return `webhook: ${text.trim()}`
      return text.includes('registry.example/cart:1') ? 'done' : text
    } finally {
      await dispatcher.close()
      await replica.process.stop()
      secret.remove()
      rmSync(directory, { recursive: true })
    }
  }

export const AT_THE_PORT: Readonly<Record<string, Action>> = {
  'read the image of a source in the name of an admin, with a secret in the path': forgeReview(true),
  'read the image of a source in the name of an admin, without a secret in the path': forgeReview(false),
}
