import fc from 'fast-check'
import { decodeStatus, EXPERIMENT_STATUS } from '../../../common/api/decode-status.ts'
import { ABSENT, type Known, known, unknown } from '../../../common/api/known.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { REASONS } from '../../../common/api/reasons.ts'
import type { OptionalStructure, Structure } from '../../../common/json/structure.ts'
import type { ViewFacts } from '../../../common/view/experiment-view.ts'
import { aDeployment, anExperiment, FULL_BLUE_GREEN, imageOverride } from '../../builders.ts'
import { aJsonObject } from '../../generators.ts'
import { theFork } from '../plan/some-facts.ts'
import { anAnalysisRun, anEvent, aPod, NOW } from './some-view.ts'

/** What others may have written, and what the API server accepts as a text. */
const aText = fc.oneof(
  fc.constantFrom(
    '',
    'cart',
    '2026-11-21T09:00:00Z',
    '\u001b]8;;http://x\u0007',
    'a\u202eb',
    '<b>',
    '\ud800',
    '__proto__',
  ),
  fc.constantFrom(...Object.keys(REASONS)),
  fc.constantFrom('Ready', 'Stalled', 'Paused', 'PolicyCompliant', 'True', 'False'),
  fc.string({ unit: 'binary', maxLength: 20 }),
)

/** Any value that `structure` lets through when a status is decoded: of its types, whatever its limits. */
function anyOf(structure: Structure): fc.Arbitrary<unknown> {
  switch (structure.is) {
    case 'text':
    case 'time':
      return aText
    case 'word':
      return fc.constantFrom(...structure.words)
    case 'number':
      return fc.oneof(fc.nat(4), structure.isWhole ? fc.maxSafeInteger() : fc.double({ noNaN: true }))
    case 'flag':
      return fc.boolean()
    case 'list':
      return fc.array(anyOf(structure.items), { maxLength: 3 })
    case 'map':
      return fc.dictionary(aText, anyOf(structure.values), { maxKeys: 2 })
    case 'object':
      return recordOf(structure.members)
    default:
      return fc.constant({})
  }
}

function recordOf(members: Readonly<Record<string, Structure | OptionalStructure>>): fc.Arbitrary<object> {
  const all = Object.entries(members)
  const values = Object.fromEntries(all.map(([key, of]) => [key, anyOf(of.is === 'optional' ? of.of : of)]))
  const requiredKeys = all.flatMap(([key, of]) => (of.is === 'optional' ? [] : [key]))
  return fc.record(values, { requiredKeys })
}

/** Any status as the controller, or whoever may write it, may have stored it. */
export const aStatus = anyOf(EXPERIMENT_STATUS).map(decodeStatus)

const aSpec = fc.constantFrom<Parameters<typeof anExperiment>[0]>(
  {},
  { overrideSpec: imageOverride('example/cart:2'), ttlSeconds: 60 },
  { strategy: { canary: { steps: [{ setWeight: 10 }, { pause: { duration: '1h' } }] } } },
  { strategy: { canary: { scaleDownSource: true, steps: [{ setWeight: 50 }] } }, analysis: { maxSeconds: 60 } },
  { strategy: { blueGreen: FULL_BLUE_GREEN }, promotion: { mode: 'Automatic' } },
  { sourceRef: { kind: 'DaemonSet', name: 'cart', namespace: 'store' }, promotion: {} },
)

/** An experiment of any spec and status, as it is decoded. */
export const anyExperiment = fc
  .record({ of: aSpec, status: fc.option(aStatus), text: aText })
  .map(({ of, status, text }) =>
    anExperiment({
      ...of,
      metadata: { creationTimestamp: text, resourceVersion: text },
      ...(status ? { status } : {}),
    }),
  )

/** An object of somebody else: like the given one, with members of any kind. */
const odd = (object: KubeObject): fc.Arbitrary<KubeObject> =>
  fc.record({ text: aText, some: aJsonObject, which: fc.nat(4) }).map(({ text, some, which }) => {
    const { metadata, spec, status } = object
    const changed = [
      object,
      { ...object, metadata: { ...metadata, name: text, uid: text } },
      { ...object, spec: some, status: some },
      { ...object, ...some },
      { ...object, spec: { ...(spec as object), replicas: some }, status: { ...(status as object), conditions: some } },
    ]
    return changed[which] as KubeObject
  })

const knownOf = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Known<T>> =>
  fc.oneof(
    { weight: 4, arbitrary: value.map(known) },
    fc.constant(ABSENT),
    aText.map((text) => unknown(text)),
  )

/** Facts with anything that a cluster may hold. */
export const anyViewFacts: fc.Arbitrary<ViewFacts> = fc.record({
  now: fc.constant(NOW),
  experiment: anyExperiment,
  source: knownOf(odd(aDeployment()).map((object) => ({ object, referents: [] }))),
  fork: knownOf(odd(theFork())),
  pods: knownOf(fc.array(odd(aPod()), { maxLength: 3 })),
  events: knownOf(fc.array(odd(anEvent({ kind: 'Pod', name: 'a', uid: 'p' })), { maxLength: 3 })),
  run: knownOf(fc.constant(anAnalysisRun())),
  unread: fc.array(fc.record({ what: aText, because: aText }), { maxLength: 2 }),
})
