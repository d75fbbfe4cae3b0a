import type { FieldError } from '../../../common/api/types.ts'
import { at, type JsonObject, listOr } from '../../../common/json/json.ts'
import type { Judged } from './judge.ts'

/** The four classes, and refusals that the API server does not make but we do on purpose. */
export type Verdict = 'right admit' | 'right refusal' | 'refused by design' | 'false admit' | 'false refusal'

export const VERDICTS: readonly Verdict[] = [
  'right admit',
  'right refusal',
  'refused by design',
  'false admit',
  'false refusal',
]

const DUPLICATE = 'an item of a list that is merged by its key'

/** What we refuse although the API server would take it, by `field: message`, and why. */
const BY_DESIGN: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /cannot be set here|own selector|already the spec|set by a controller|only labels and annotations/,
    'the fork has its own',
  ],
  [/template\.metadata(?:\.\w+)?: expected object/, 'the fork has its own'],
  [/a fork has its own template|belong to only one Rollout/, 'the fork of a Rollout cannot have it'],
  [/kubectl debug/, 'only a running pod can have it'],
  [
    /null is not allowed inside a list|null cannot remove an item|got null|value null|cannot be null/,
    'a null in a list',
  ],
  [/duplicate of \[\d+\]|imagePullSecrets\[\d+\]\.name: required/, DUPLICATE],
  [/unsupported value ""/, 'an empty text, in whose place the API server puts its default'],
  [/: required$|: required: |null removes a required field/, 'the published schema requires it'],
  [/stopSignal: unsupported value/, 'the feature is off in this cluster, which drops the field'],
  [/expected an integer from/, 'the API server would store another number'],
  [/image: must be a reference such as|mountPath: must not contain ":"/, 'no kubelet can run it'],
  [/must be at least 1M|must be Memory, HugePages/, 'no kubelet can run it'],
  [/must have a unit such as Mi/, 'nobody means so few bytes'],
  [/has no effect, because the claim|the pods have only one claim/, 'its controller ignores it'],
  [/must be the name of a port of this container|must have a port with the name/, 'no kubelet can run it'],
  [
    /^spec\.overrideSpec\.(?:minReadySeconds|progressDeadlineSeconds|revisionHistoryLimit|strategy)\b/,
    'Argo refuses it',
  ],
]

/** Why a refusal that the API server does not make is meant; undefined if one of its mistakes is not. */
export function designOf(judged: Judged): string | undefined {
  const reasons = judged.mistakes.map((mistake) => reasonOf(mistake, judged))
  if (reasons.includes(DUPLICATE)) return DUPLICATE // which of the two items the fork has is a guess
  return reasons.includes(undefined) ? undefined : reasons[0]
}

function reasonOf({ field, message }: FieldError, { kind, overrideSpec }: Judged): string | undefined {
  const name = /[.[]"?([^.[\]"]+)"?\]?$/.exec(field)?.[1]
  if (message.startsWith('unknown field') && JSON.stringify(overrideSpec).includes(`"${name}":null`))
    return 'a null that removes a misspelt field'
  if (kind === 'StatefulSet' && isOfReplacedVolume(field, overrideSpec)) return 'a volume that a claim replaces'
  const why = BY_DESIGN.find(([pattern]) => pattern.test(`${field}: ${message}`))?.[1]
  return why === 'Argo refuses it' && kind !== 'Rollout' ? undefined : why
}

/** The claim of the source is called `data`; the API server does not look at a volume of that name. */
function isOfReplacedVolume(field: string, overrideSpec: JsonObject): boolean {
  const [, index] = /^spec\.overrideSpec\.template\.spec\.volumes\[(\d+)\]\./.exec(field) ?? []
  const volumes = listOr(at(overrideSpec, 'template', 'spec', 'volumes'))
  return index !== undefined && at(volumes[Number(index)], 'name') === 'data'
}

/** The class of one override. */
export function verdictOf(judged: Judged): Verdict {
  const isAdmitted = judged.mistakes.length === 0
  if (isAdmitted) return judged.refusal === undefined ? 'right admit' : 'false admit'
  if (judged.refusal !== undefined) return 'right refusal'
  return designOf(judged) === undefined ? 'false refusal' : 'refused by design'
}

/** A message without what differs from case to case: names of objects, indexes, keys and values. */
export function shapeOf(message: string): string {
  return message
    .replace(/^.*? is invalid: /s, '')
    .replaceAll(/\[[^\]]*\]/g, '[]')
    .replaceAll(/"(?:[^"\\]|\\.)*"/g, '""')
    .replaceAll(/\b-?\d+(?:\.\d+)?(?:m|[KMGTPE]i?)?\b/g, 'N')
    .replaceAll(/\{.*?\}(?=:)/gs, '{}')
    .slice(0, 160)
}

/** The lines of a table: for each kind the count and share of each class. */
export function tableOf(all: readonly Judged[]): readonly string[] {
  const kinds = [...new Set(all.map(({ kind }) => kind))]
  const row = (name: string, of: readonly Judged[]) => {
    const counts = VERDICTS.map((verdict) => of.filter((each) => verdictOf(each) === verdict).length)
    const cells = counts.map((count) => `${count} (${((100 * count) / Math.max(1, of.length)).toFixed(2)} %)`)
    return `| ${[name, `${of.length}`, ...cells].join(' | ')} |`
  }
  return [
    `| kind | overrides | ${VERDICTS.join(' | ')} |`,
    `| --- | ${['overrides', ...VERDICTS].map(() => '---').join(' | ')} |`,
    ...kinds.map((kind) =>
      row(
        kind,
        all.filter((each) => each.kind === kind),
      ),
    ),
    row(
      'meant to be valid',
      all.filter(({ isMistaken }) => !isMistaken),
    ),
    row(
      'with a mistake',
      all.filter(({ isMistaken }) => isMistaken),
    ),
    row('all', all),
  ]
}

/** For each shape of message among the overrides of a class: how many there are, and one of them. */
export function groupsOf(all: readonly Judged[], verdict: Verdict): readonly string[] {
  const found = all.filter((each) => verdictOf(each) === verdict)
  const messageOf = (each: Judged) =>
    each.mistakes.length === 0
      ? (each.refusal ?? '')
      : each.mistakes.map(({ field, message }) => `${field}: ${message}`).join(', ')
  const groups = Map.groupBy(found, (each) =>
    verdict === 'refused by design' ? (designOf(each) ?? '') : shapeOf(messageOf(each)),
  )
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .flatMap(([shape, [example, ...others]]) =>
      example
        ? [
            `${others.length + 1} × ${shape}`,
            `    ${messageOf(example).slice(0, 400)}`,
            `    ${example.kind}, ${example.overrideType}: ${JSON.stringify(example.overrideSpec).slice(0, 600)}`,
          ]
        : [],
    )
}
