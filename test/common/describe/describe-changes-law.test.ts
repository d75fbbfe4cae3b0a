import { expect } from 'chai'
import fc from 'fast-check'
import type { OverrideType } from '../../../common/api/types.ts'
import { isObject, type Json, type JsonObject } from '../../../common/json/json.ts'
import { shapeOf } from '../../../common/schema/compile.ts'
import { transform } from '../../../common/schema/transform.ts'
import { linesOf } from '../../../webhook/review/decision.ts'
import { ANY_SCHEMA, aDeployment, anExperiment } from '../../builders.ts'
import '../../property.ts'
import { someFacts } from '../plan/some-facts.ts'
import { describedWarnings } from './described.ts'

const text = { type: 'string' }
const number = { type: 'integer' }
const map = { type: 'object', additionalProperties: text }
const object = (properties: object) => ({ type: 'object', properties })
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const list = (items: object, ...keys: string[]) => ({
  type: 'array',
  items,
  ...(keys.length > 0 ? { 'x-kubernetes-list-map-keys': keys } : {}),
})

/** What the API server tells of the fields that are generated here. */
const SCHEMAS = {
  Spec: object({
    minReadySeconds: number,
    template: object({ metadata: object({ labels: map, annotations: map }), spec: ref('Pod') }),
  }),
  Pod: object({
    containers: list(ref('Container'), 'name'),
    initContainers: list(ref('Container'), 'name'),
    volumes: list(
      object({
        name: text,
        emptyDir: object({ medium: text }),
        hostPath: object({ path: text }),
        persistentVolumeClaim: object({ claimName: text }),
      }),
      'name',
    ),
    nodeSelector: map,
    hostNetwork: { type: 'boolean' },
    terminationGracePeriodSeconds: number,
  }),
  Container: object({
    name: text,
    image: text,
    args: list(text),
    env: list(
      object({ name: text, value: text, valueFrom: object({ fieldRef: object({ fieldPath: text }) }) }),
      'name',
    ),
    ports: list(
      object({ containerPort: number, protocol: { ...text, default: 'TCP' }, name: text }),
      'containerPort',
      'protocol',
    ),
    livenessProbe: object({
      exec: object({ command: list(text) }),
      httpGet: object({ path: text, port: number }),
      tcpSocket: object({ port: number }),
      periodSeconds: number,
    }),
    resources: object({ limits: map, requests: map }),
    volumeMounts: list(object({ name: text, mountPath: text }), 'mountPath'),
  }),
}
const SCHEMA = { ...ANY_SCHEMA, shape: shapeOf(transform(SCHEMAS, ref('Spec'))) }

// generated values are never defaults of the API server, which are no differences

const OPTIONAL = { noNullPrototype: true, requiredKeys: [] }
const aWord = fc.constantFrom('one', 'two', 'three')
const of = (...words: string[]) => fc.constantFrom(...words)
const aMap = fc.dictionary(of('a', 'b.example/c'), aWord, { maxKeys: 2, noNullPrototype: true })
const some = <T>(item: fc.Arbitrary<T>, maxLength: number, selector: (item: T) => unknown) =>
  fc.uniqueArray(item, { minLength: 1, maxLength, selector, size: 'max' })

const aVariable = fc.oneof(
  fc.record({ name: of('A', 'B', 'C'), value: aWord }),
  fc.record({ name: of('A', 'B', 'C'), valueFrom: fc.constant({ fieldRef: { fieldPath: 'metadata.name' } }) }),
)
const aPort = fc.record({ containerPort: fc.constantFrom(80, 81), protocol: of('TCP', 'UDP') })
const aHandler = fc.constantFrom<JsonObject>(
  { httpGet: { path: '/one', port: 80 } },
  { httpGet: { path: '/two', port: 81 } },
  { tcpSocket: { port: 80 } },
  { exec: { command: ['one', 'two'] } },
)
const aContainer = (names: fc.Arbitrary<string>) =>
  fc.record(
    {
      name: names,
      image: of('cart:1', 'cart:2'),
      args: fc.array(aWord, { minLength: 1, maxLength: 2 }),
      env: some(aVariable, 3, ({ name }) => name),
      ports: some(aPort, 3, ({ containerPort, protocol }) => `${containerPort}/${protocol}`),
      livenessProbe: fc
        .tuple(aHandler, fc.constantFrom(5, 7))
        .map(([handler, periodSeconds]) => ({ ...handler, periodSeconds })),
      resources: fc.record({ limits: fc.record({ cpu: of('1', '2') }) }),
      volumeMounts: fc.constant([{ name: 'data', mountPath: '/data' }]),
    },
    { noNullPrototype: true, requiredKeys: ['name', 'image'] },
  )
const aSource = fc.constantFrom<JsonObject>(
  { emptyDir: { medium: 'Memory' } },
  { hostPath: { path: '/one' } },
  { persistentVolumeClaim: { claimName: 'one' } },
)
const dataVolume = aSource.map((source) => ({ name: 'data', ...source }))
const podOf = (isOverride: boolean) => {
  const containers = some(aContainer(of('cart', 'proxy', 'log')), 3, ({ name }) => name)
  const removable = <T>(value: fc.Arbitrary<T>) =>
    isOverride ? fc.oneof({ weight: 3, arbitrary: value }, { weight: 1, arbitrary: fc.constant(null) }) : value
  return fc.record(
    {
      containers,
      initContainers: removable(some(aContainer(of('first', 'second')), 2, ({ name }) => name)),
      volumes: dataVolume.map((volume) => [volume]),
      nodeSelector: removable(aMap),
      hostNetwork: removable(fc.constant(true)),
      terminationGracePeriodSeconds: removable(fc.constantFrom(5, 7)),
    },
    isOverride ? OPTIONAL : { noNullPrototype: true, requiredKeys: ['containers', 'volumes'] },
  )
}
const specOf = (isOverride: boolean) =>
  fc
    .record(
      {
        labels: aMap,
        annotations: aMap,
        pod: podOf(isOverride),
        minReadySeconds: fc.constantFrom(5, 7),
      },
      isOverride ? OPTIONAL : { noNullPrototype: true, requiredKeys: ['pod'] },
    )
    .map(({ labels = {}, annotations = {}, pod = {}, ...spec }) => ({
      ...spec,
      template: { metadata: { labels, annotations }, spec: pod },
    })) as unknown as fc.Arbitrary<JsonObject>

/** The keys of lists that are no arrays to their users. */
const KEYS: Readonly<Record<string, (item: JsonObject) => string>> = {
  containers: ({ name }) => String(name),
  initContainers: ({ name }) => String(name),
  volumes: ({ name }) => String(name),
  env: ({ name }) => String(name),
  ports: ({ containerPort, protocol }) => (protocol === 'UDP' ? `${containerPort}/UDP` : `${containerPort}`),
  volumeMounts: ({ mountPath }) => String(mountPath),
}
const ORDERED = ['env', 'initContainers']

/** An independent comparison: the name of each difference, of which an added or removed item is one. */
function differencesOf(before: Json | undefined, after: Json | undefined, name: string, key = ''): readonly string[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (Array.isArray(before ?? after)) return itemDifferences(listOf(before), listOf(after), name, key)
  if (!isObject(before ?? after)) return [name]
  const [was, is] = [(before ?? {}) as JsonObject, (after ?? {}) as JsonObject]
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].flatMap((member) =>
    differencesOf(was[member], is[member], `${name}${/^\w+$/.test(member) ? `.${member}` : `["${member}"]`}`, member),
  )
}

const listOf = (value: Json | undefined): readonly JsonObject[] => (value ?? []) as readonly JsonObject[]

function itemDifferences(before: readonly JsonObject[], after: readonly JsonObject[], name: string, key: string) {
  const keyOf = (items: readonly JsonObject[]) => items.map((item, at) => KEYS[key]?.(item) ?? `${at}`)
  const [was, is] = [keyOf(before), keyOf(after)]
  const found = [...new Set([...was, ...is])].flatMap((item) => {
    const [from, to] = [was.indexOf(item), is.indexOf(item)]
    return from < 0 || to < 0 ? [`${name}[${item}]`] : differencesOf(before[from], after[to], `${name}[${item}]`)
  })
  const common = was.filter((item) => is.includes(item))
  const moved = is.filter((item) => was.includes(item)).find((item, at) => item !== common[at])
  return ORDERED.includes(key) && moved !== undefined ? [...found, `${name}[${moved}] moved`] : found
}

/** The part of a `spec` that is not different in every fork, with the names that the plan uses. */
function compared(source: Json, fork: Json): readonly string[] {
  const inherited = (spec: JsonObject): JsonObject => {
    const { replicas: _replicas, selector: _selector, revisionHistoryLimit: _limit, ...rest } = structuredClone(spec)
    const { labels } = (rest.template as { metadata: { labels: Record<string, string> } }).metadata
    for (const label of Object.keys(labels)) if (label.startsWith('experiment-controller.')) delete labels[label]
    return rest
  }
  const names = differencesOf(inherited(source as JsonObject), inherited(fork as JsonObject), '')
  return names.map((name) => name.replace(/^\.template\.spec\./, '').replace(/^\./, ''))
}

/** Each run derives two forks and compares them in two ways. `RUNS=10000` asks for more. */
const RUNS = Math.max(2_000, Number(process.env.RUNS ?? 0))

describe('M12: the differences in the plan', () => {
  for (const overrideType of ['Merge', 'Strategic'] as const satisfies readonly OverrideType[])
    it(`are all between the fork and its source, each told or counted (${overrideType})`, () => {
      let checked = 0
      let counted = 0
      fc.assert(
        fc.property(specOf(false), specOf(true), (spec, overrideSpec) => {
          const source = aDeployment({ spec: { selector: {}, ...spec } })
          const experiment = anExperiment({ overrideSpec, overrideType })
          const facts = someFacts({ source, experiment, schema: SCHEMA })
          const { warnings, fork } = describedWarnings(facts)
          if (!fork) return // the override is refused
          checked += 1
          const expected = compared(source.spec as Json, fork.spec as Json)
          const lines = linesOf(warnings).filter((line) => line.startsWith('[Plan]'))
          const names = lines.flatMap((line) => {
            const [, name, moved] = DIFFERENCE.exec(line) ?? []
            return name === undefined ? [] : moved ? `${name} moved` : name
          })
          const more = lines.map((line) => Number(MORE.exec(line)?.[1] ?? 0)).reduce((sum, each) => sum + each, 0)
          if (more > 0) counted += 1
          expect(expected).to.include.members([...names])
          expect(new Set(names).size).to.equal(names.length)
          expect(names.length + more, `${lines.join('\n')}\n${expected.join('\n')}`).to.equal(expected.length)
        }),
        { numRuns: RUNS },
      )
      expect(checked).to.be.above(RUNS / 4)
      expect(counted).to.be.above(RUNS / 100)
    })
})

const DIFFERENCE = /^\[Plan\] (\S+): (?:set|removed|changed|added|(moved)|\S+ -> \S+)$/
const MORE = /^\[Plan\] and (\d+) more changes?$/
