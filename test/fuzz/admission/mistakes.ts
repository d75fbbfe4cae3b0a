import { isObject, type Json, type JsonObject } from '../../../common/json/json.ts'
import type { Dice } from './dice.ts'

/** A value in an override, and how to put another one in its place; undefined removes it. */
interface Spot {
  readonly key: string
  readonly value: Json
  readonly replace: (value: Json | undefined) => Json
}

type Mistake = (spot: Spot, dice: Dice) => Json | undefined

/** As people err: in names, types, ranges, references and nulls. Each returns undefined where it cannot be made. */
const MISTAKES: readonly Mistake[] = [
  // a key or a value is misspelt
  ({ value, replace }, dice) =>
    typeof value === 'string' && value.length > 2 ? replace(misspelt(value, dice)) : undefined,
  ({ value, replace }, dice) => {
    if (!isObject(value) || Object.keys(value).length === 0) return undefined
    const wrong = dice.pick(Object.keys(value))
    const entries = Object.entries(value as JsonObject)
    return replace(Object.fromEntries(entries.map(([key, each]) => [key === wrong ? misspelt(key, dice) : key, each])))
  },
  // the syntax of a name
  ({ value, replace }, dice) =>
    typeof value === 'string'
      ? replace(
          dice.pick([
            '',
            value.toUpperCase(),
            `${value} `,
            `${value}_x`,
            `-${value}`,
            `${value}.`,
            `${value}:1`,
            `/${value}`,
            `../${value}`,
            `${value}${'a'.repeat(16)}`,
            value.padEnd(64, 'a'),
            value.padEnd(254, 'a'),
            '1',
            'é',
          ]),
        )
      : undefined,
  // the type
  ({ value, replace }) => (typeof value === 'number' ? replace(String(value)) : undefined),
  ({ value, replace }) =>
    typeof value === 'string' ? replace(Number.isNaN(Number(value)) ? true : Number(value)) : undefined,
  ({ value, replace }) => (Array.isArray(value) && value.length > 0 ? replace(value[0] as Json) : undefined),
  ({ value, replace }) => (Array.isArray(value) || value === null ? undefined : replace([value])),
  // the range
  ...[0, 1, 2, 3].map(
    (): Mistake =>
      ({ value, replace }, dice) =>
        typeof value === 'number'
          ? replace(dice.pick([-1, 0, 1, 2, 101, 600, 65_535, 65_536, 2 ** 31 - 1, 2 ** 31, 1.5, -(2 ** 31)]))
          : undefined,
  ),
  ({ value, replace }, dice) =>
    typeof value === 'string' && /^[\d.]+(?:m|[KMG]i?)?$/.test(value)
      ? replace(dice.pick(['-1', '1O0m', '1 Gi', '10Gi', '0', '1.5', '100GiB', '']))
      : undefined,
  // nulls and what is missing
  ({ replace }) => replace(null),
  ({ replace }) => replace(undefined),
  ({ value, replace }) => (Array.isArray(value) ? replace([]) : isObject(value) ? replace({}) : undefined),
  // something twice
  ({ value, replace }) =>
    Array.isArray(value) && value.length > 0 ? replace([...value, value[0] as Json]) : undefined,
  // a field of another place
  ({ value, replace }, dice) =>
    isObject(value) ? replace({ ...(value as JsonObject), [dice.pick(STRAYS)]: dice.pick(VALUES) }) : undefined,
  // one more alternative
  ({ key, value, replace }, dice) => {
    const more = Object.hasOwn(ALTERNATIVES, key) ? ALTERNATIVES[key] : undefined
    return more && isObject(value) ? replace({ ...(value as JsonObject), ...dice.pick(more) }) : undefined
  },
]

const STRAYS = ['name', 'image', 'value', 'type', 'port', 'restartPolicy', 'operator', 'effect', 'tolerationSeconds']
const VALUES: readonly Json[] = ['cart', 'Never', 1, true, 'Exists', 'NoSchedule']

const PROBE: readonly JsonObject[] = [
  { exec: { command: ['true'] } },
  { tcpSocket: { port: 80 } },
  { successThreshold: 3 },
]
const ALTERNATIVES: Readonly<Record<string, readonly JsonObject[]>> = {
  livenessProbe: PROBE,
  readinessProbe: PROBE,
  startupProbe: PROBE,
  valueFrom: [{ fieldRef: { fieldPath: 'metadata.name' } }, { secretKeyRef: { name: 'a', key: 'b' } }],
  strategy: [{ type: 'Recreate' }, { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } }],
  updateStrategy: [{ type: 'OnDelete' }, { rollingUpdate: { partition: -1 } }],
  spec: [
    { restartPolicy: 'OnFailure' },
    { activeDeadlineSeconds: 60 },
    { dnsPolicy: 'None' },
    { hostAliases: [{ ip: 'cart', hostnames: ['a'] }] },
    { tolerations: [{ key: 'a', operator: 'Exists', value: 'b' }] },
    { volumes: [] },
    { securityContext: { seccompProfile: { type: 'Localhost' } } },
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    { initContainers: [{ name: 'cart', image: 'a' }] },
    { containers: [{ name: 'crat' }] },
  ],
}

/** `override` with one to two mistakes. It may happen to stay valid. */
export function mistaken(override: JsonObject, dice: Dice): JsonObject {
  let changed: Json = override
  for (let count = dice.percent(80) ? 1 : 2; count > 0; count--) changed = withMistake(changed, dice)
  return isObject(changed) ? (changed as JsonObject) : override
}

function withMistake(override: Json, dice: Dice): Json {
  const spots = spotsIn(override)
  for (let tries = 0; tries < 50 && spots.length > 0; tries++) {
    const made = dice.pick(MISTAKES)(dice.pick(spots), dice)
    if (made !== undefined) return made
  }
  return override
}

/** Every value below the top of `override`, deep ones as often as others. */
function spotsIn(override: Json): readonly Spot[] {
  const spots: Spot[] = []
  const visit = (value: Json, key: string, replace: Spot['replace']): void => {
    if (key !== '') spots.push({ key, value, replace })
    if (typeof value !== 'object' || value === null) return
    for (const [inner, each] of Object.entries(value))
      visit(each, Array.isArray(value) ? `${key}[]` : inner, (next) => replace(withMember(value, inner, next)))
  }
  visit(override, '', (value) => value ?? {})
  return spots
}

function withMember(value: Json, at: string, next: Json | undefined): Json {
  const entries = Object.entries(value as JsonObject).flatMap(([key, each]): (readonly [string, Json])[] =>
    key !== at ? [[key, each]] : next === undefined ? [] : [[key, next]],
  )
  return Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)
}

/** Two letters swapped, one dropped or one doubled. */
function misspelt(text: string, dice: Dice): string {
  const at = dice.below(Math.max(1, text.length - 1))
  const [one = '', two = ''] = [text[at], text[at + 1]]
  const changed = dice.pick([`${two}${one}`, two, `${one}${one}${two}`])
  return text.slice(0, at) + changed + text.slice(at + 2)
}
