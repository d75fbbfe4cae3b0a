/**
 * Prints one line of JSON for each shape of body: its cost compared with a plain parse of the largest body. The
 * argument is the limit, as a number of such parses.
 */
import type { JsonObject } from '../../common/json/json.ts'
import { isTooStructured, MAX_STRUCTURE } from '../../webhook/http/intake.ts'
import { decodeReview } from '../../webhook/review/admission-review.ts'
import { answerTo } from '../../webhook/review/decision.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment } from '../builders.ts'
import { deploymentSchema } from '../common/schema/openapi.ts'
import { aReader, aReview, aService, aSlice, validatorDeps } from './reviews.ts'

const MIB = 1024 * 1024
const { kube } = aReader([aDeployment(), aService(), aSlice(['cart-1'])])
const schema = deploymentSchema()
const validate = validator(validatorDeps(kube, schema))

/** The whole work for a body. It never waits for I/O, so all of it blocks the event loop. */
async function handle(body: Buffer): Promise<void> {
  if (isTooStructured(body)) return
  const review = decodeReview(JSON.parse(body.toString()))
  if (review.is === 'ours') JSON.stringify(answerTo(await validate(review.request)))
}

/**
 * The best of this many tries counts, because other load on the machine only adds time. There are more if that is not
 * enough.
 */
const TRIES = 5
const MOST_TRIES = 40

async function millisecondsOf(act: () => unknown): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

const reviewOf = (overrideSpec: unknown, oldSpec?: unknown): Buffer =>
  Buffer.from(
    JSON.stringify(
      aReview({
        object: { ...anExperiment(), spec: { ...anExperiment().spec, overrideSpec } },
        ...(oldSpec === undefined
          ? {}
          : {
              operation: 'UPDATE',
              oldObject: { ...anExperiment(), spec: { ...anExperiment().spec, overrideSpec: oldSpec } },
            }),
      }),
    ),
  )

const keys = (count: number, value: unknown): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, at) => [`key-${at}`, value])) as JsonObject
const nested = (depth: number): JsonObject => (depth === 0 ? {} : { template: nested(depth - 1) })
/** Two objects of 3 MiB with the most structure that is allowed: the most that is ever parsed. */
const half = () => keys(MAX_STRUCTURE / 4 - 100, 'x'.repeat(110))

const SHAPES: Readonly<Record<string, () => Buffer>> = {
  'the largest that is parsed': () => reviewOf(half(), half()),
  '3 MiB of small objects': () => reviewOf(Array.from({ length: (3 * MIB) / 8 }, () => ({ a: 1 }))),
  'one string of 3 MiB': () => reviewOf({ a: 'x'.repeat(3 * MIB) }),
  'a string of 3 MiB that must be unescaped': () => reviewOf({ a: '"'.repeat(1.5 * MIB) }),
  '64 levels': () => reviewOf(nested(64)),
  '20,000 levels': () =>
    Buffer.from(
      reviewOf({ a: '@' })
        .toString()
        .replace('"@"', `${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    ),
  '5,000 unknown fields': () => reviewOf(keys(4_999, 1)),
  '2,500 containers without anything': () =>
    reviewOf({ template: { spec: { containers: Array.from({ length: 2_400 }, () => ({ nam: 1 })) } } }),
  '1,600 variables of the wrong type': () =>
    reviewOf({
      template: {
        spec: {
          containers: [{ name: 'cart', env: Array.from({ length: 1_600 }, (_, at) => ({ name: at, value: at })) }],
        },
      },
    }),
  '5,000 changes of an update': () =>
    reviewOf(
      { template: { metadata: { annotations: keys(4_900, 'a') } } },
      { template: { metadata: { annotations: keys(4_900, 'b') } } },
    ),
}

export interface Measured {
  readonly what: string
  readonly bytes: number
  readonly oursMs: number
  readonly plainMs: number
}

const enough = Number(process.argv[2])
const largest = SHAPES['the largest that is parsed']?.() ?? Buffer.alloc(0)
if (isTooStructured(largest) || largest.length < 5.5 * MIB) throw new Error('the largest is not the largest')
for (const [what, shape] of Object.entries(SHAPES)) {
  const body = shape()
  let [plainMs, oursMs] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (let tries = 0; tries < TRIES || (tries < MOST_TRIES && oursMs >= enough * plainMs); tries++) {
    plainMs = Math.min(plainMs, await millisecondsOf(() => JSON.parse(largest.toString())))
    oursMs = Math.min(oursMs, await millisecondsOf(() => handle(body)))
  }
  const measured: Measured = { what, bytes: body.length, oursMs, plainMs }
  console.log(JSON.stringify(measured))
}
