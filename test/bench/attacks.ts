import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { KubeObject } from '../../common/api/object.ts'
import type { ExperimentDeployment } from '../../common/api/types.ts'
import { at } from '../../common/json/json.ts'
import type { SpecSchema } from '../../common/override/spec-schema.ts'
import { serviceView } from '../../common/surroundings/traffic.ts'
import { validator } from '../../webhook/validate.ts'
import { aDeployment, anExperiment, aPolicy, NO_POLICIES } from '../builders.ts'
import { plan, statusOf } from '../common/of-facts.ts'
import { leftAt, someFacts, theFork } from '../common/plan/some-facts.ts'
import { aReader } from '../fakes/reader.ts'
import { aRequest, aService, validatorDeps } from '../webhook/reviews.ts'
import { longAnswerFigures } from './attacks-answers.ts'
import { manyManagers, OVERRIDES, SERVICES, SOURCES } from './attacks-objects.ts'
import { type Bench, type Figure, limitFigure } from './figure.ts'
import { longestTurnMs, threadMs } from './turns.ts'
import { keepClusterDocuments, keptCatalog } from './webhook-documents.ts'

/** The longest turns for one foreign object, in milliseconds of processor time. A review has an old object, too. */
const MOST_MS = { review: 400, pass: 250 }

const POLICY = aPolicy({ maxReplicas: 3, deniedOverridePaths: ['template.spec.volumes[*].hostPath'] })

/** A source as if it was read again: nothing that is kept with the object is known. Of lists only views are kept. */
const unseen = (answer: unknown): unknown => (at(answer, 'items') ? answer : structuredClone(answer))

/** The longer of the longest turns of a create and of an update. */
async function reviewMs(world: readonly KubeObject[], object: ExperimentDeployment, schema: SpecSchema | undefined) {
  const reader = aReader(world).kube
  const policies = { policies: () => [POLICY], namespace: async (name: string) => ({ name, labels: {} }) }
  const decide = validator({
    ...validatorDeps({ request: async (asked) => unseen(await reader.request(asked)) }, schema),
    policies: { ...policies, isExcluded: () => false },
  })
  const oldObject = { ...anExperiment({ overrideSpec: { minReadySeconds: 3 } }) }
  const create = await longestTurnMs(() => decide(aRequest({ object: { ...object } })))
  return Math.max(create, await longestTurnMs(() => decide(aRequest({ object: { ...object }, oldObject }))))
}

/** The time of one parse of `text`: the average of so many that together they are longer than a tick of the clock. */
function parseMs(text: string): number {
  const before = threadMs()
  let parses = 0
  while (threadMs() - before < 50) {
    JSON.parse(text)
    parses += 1
  }
  return (threadMs() - before) / parses
}

interface Around {
  readonly source: KubeObject
  readonly services?: readonly KubeObject[]
  readonly fork?: KubeObject
}

/** The time of the projections, the plan and the status of one pass. */
const passMs = ({ source, services = [], fork }: Around, experiment: ExperimentDeployment, schema: SpecSchema) =>
  longestTurnMs(() => {
    const traffic = { services: services.flatMap((each) => serviceView(each) ?? []), slices: [] }
    const policies = { ...NO_POLICIES, policies: [POLICY] }
    const facts = someFacts({ source, fork, experiment, schema, traffic, policies })
    statusOf(facts, plan(facts).conclusion)
  })

/** Measures the largest objects that others may write, against a plain parse of each. */
export const attacks: Bench = {
  name: 'attacks',
  measures: 'the longest turn for the largest foreign objects and for answers of 4 MiB, beside a parse of each',
  async run(tell) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-attacks-'))
    try {
      await keepClusterDocuments(folder, tell)
      const schema = (await keptCatalog(folder)).schemaOf('Deployment')
      if (!schema) throw new Error('a Deployment has no schema')
      return [...(await figuresOf(schema, tell)), ...(await longAnswerFigures())]
    } finally {
      await rm(folder, { recursive: true })
    }
  },
}

async function figuresOf(schema: SpecSchema, tell: (line: string) => void): Promise<readonly Figure[]> {
  const figures: Figure[] = []
  const add = (what: keyof typeof MOST_MS, name: string, value: number, largest: unknown) => {
    const against = parseMs(JSON.stringify(largest))
    figures.push(limitFigure({ name: `${what}: ${name}`, value, unit: 'ms', against, atMost: MOST_MS[what] }))
  }
  const small = anExperiment({ overrideSpec: OVERRIDES.small ?? {} })
  await reviewMs([aDeployment(), aService()], small, schema) // compiles what all of them need
  for (const [name, source] of Object.entries(SOURCES)) {
    tell(name)
    const found = { review: 0, pass: 0 }
    for (const overrideSpec of Object.values(OVERRIDES)) {
      const experiment = anExperiment({ overrideSpec })
      found.review = Math.max(found.review, await reviewMs([source, aService()], experiment, schema))
      found.pass = Math.max(found.pass, await passMs({ source, services: [aService()] }, experiment, schema))
    }
    add('review', name, found.review, source)
    add('pass', name, found.pass, source)
  }
  const around = { source: aDeployment(), services: SERVICES }
  add('review', 'Services', await reviewMs([around.source, ...SERVICES], small, schema), SERVICES[1])
  add('pass', 'Services', await passMs(around, small, schema), SERVICES[1])
  const fork = manyManagers(theFork({ experiment: small, schema }))
  const experiment = { ...small, status: leftAt(3) }
  add('pass', 'managers of a fork', await passMs({ source: aDeployment(), fork }, experiment, schema), fork)
  return figures
}
