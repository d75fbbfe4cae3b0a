/**
 * Loaded by `npm run test:compat`. The tests that do not hold with the oldest supported Kubernetes, and why. They are
 * skipped there, and all others must pass.
 */
import type { Context, RootHookObject } from 'mocha'

interface Difference {
  readonly why: string
  /** titles of tests, by their suite */
  readonly tests?: Readonly<Record<string, readonly string[]>>
  /** titles of suites, whose hooks do not hold either */
  readonly suites?: readonly string[]
}

const DIFFERENCES: readonly Difference[] = [
  {
    why: 'It words some messages in another way. The pages show those of the newest version.',
    tests: {
      'the guide, on the real control plane': [
        'A-8: runs kubectl delete expd/faster-cart, with the output that the page shows',
      ],
      'ordinary mistakes, by kubectl apply': ['have exactly the chapters of mistakes-graded.md, with the same answers'],
      'a blueGreen in the CRD, by itself': ['refuses an active Service with a dot', 'refuses a part of a percentage'],
      'a strategy in the CRD, by itself': ['refuses setWeight "10%"', 'refuses maxSurge "abc"'],
      'what the schema of an experiment says, on the real control plane': [
        'N25: says of setWeight as a percentage which field it is and what to write instead',
        'N25: says of a ttl as a time which field it is and what to write instead',
        'N25: says of maxSurge in words which field it is and what to write instead',
        'N25: says of a name in capitals which field it is and what to write instead',
      ],
      'common mistakes, by kubectl apply': ['have exactly the chapters of mistakes.md, with the same answers'],
      'the CRD of policies, by itself': [
        'refuses no share',
        'refuses more than all',
        'refuses a path that cannot be read',
        'refuses an image without its registry',
      ],
    },
  },
  {
    why: 'A path of the shipped baseline names a field that it does not have, so there is a warning about it.',
    tests: {
      'S10: the review of a policy, on the real control plane': [
        'S10: admits the baseline of the manifests, and says that it is valid',
      ],
    },
  },
  {
    why: 'It stores no volume of an image, unless a feature gate is set.',
    tests: {
      'the pull policy of an image, on the real control plane': ['is the one that the API server gives to a volume'],
    },
  },
  {
    why: 'It takes any whole number where a CRD says int32.',
    tests: { 'a blueGreen in the CRD, by itself': ['refuses more pods than Kubernetes can count'] },
  },
  {
    why: 'It has no mutating admission policies.',
    suites: ['a value that our rules refuse, stored while the webhook was off'],
  },
  {
    why: 'Its OpenAPI names fields that it does not store, unless a feature gate is set.',
    tests: {
      'N10: an empty or absent value in an override, on the real control plane': [
        'N10: Deployment: is in the source by the schema exactly if a dry run of its promotion changes nothing',
        'N10: StatefulSet: is in the source by the schema exactly if a dry run of its promotion changes nothing',
      ],
    },
  },
  {
    why: 'It stores `creationTimestamp: null` in templates, which its own schema does not allow.',
    tests: {
      'the whole specs that a real cluster stores': [
        'have no findings in the unmodified fork of a Deployment, defaults included',
        'have no findings in the unmodified fork of a StatefulSet, defaults included',
      ],
      'the schemas of a real cluster': ['accept every field of a stored Deployment, defaults included'],
    },
  },
  {
    why: 'It knows fewer fields and checks less. The webhook always has the rules of the newest version.',
    tests: {
      'overrides that are generated from the schemas': [
        'M1 to M5: are refused by the API server where the webhook refuses them',
      ],
      'the rules on values, asked of the API server': [
        'M4: the restart policy of a container',
        'M4: rules of restarts without a policy',
        'M4: a rule of restarts without exit codes',
        'M4: a restart on resizing an init container',
        'M4: devices of a pod with users of its own',
        'M3: a file of a volume that is no emptyDir',
        'M3: a claim that the pod does not have',
        'M4: a resource that a pod cannot have',
        'M4: a limit over that of the pod',
        'M4: requests over those of the pod',
        'M3: a claim of nothing',
        'M4: another host name and the network of the node',
        'M5: the name of a claim',
        'M4: the size of a claim',
        'M4: a claim without a size',
        'M4: the access mode of a claim',
        'M4: a claim without an access mode',
        'M4: ReadWriteOncePod with another mode',
        'M5: the class of a claim',
        'M4: the source of the data of a claim',
      ],
    },
  },
]

const TITLES = new Set(
  DIFFERENCES.flatMap(({ tests = {} }) =>
    Object.entries(tests).flatMap(([suite, titles]) => titles.map((title) => `${suite} ${title}`)),
  ),
)
const SUITES = new Set(DIFFERENCES.flatMap(({ suites = [] }) => suites))
const unseen = new Set([...TITLES, ...SUITES])

/** Mocha calls these before the first test, around each test, and after the last one. */
export const mochaHooks: RootHookObject = {
  beforeAll(this: Context) {
    const root = this.test?.parent
    if (!root) throw new Error('this hook belongs to no suite')
    for (const { title } of root.suites) if (SUITES.has(title)) unseen.delete(title)
    root.suites = root.suites.filter(({ title }) => !SUITES.has(title))
  },
  beforeEach(this: Context) {
    const title = this.currentTest?.fullTitle() ?? ''
    unseen.delete(title)
    if (TITLES.has(title)) this.skip()
  },
  afterAll() {
    if (unseen.size > 0) throw new Error(`there is no such test any more: ${[...unseen].join('; ')}`)
  },
}
