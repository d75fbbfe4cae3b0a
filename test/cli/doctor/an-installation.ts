/** A sound installation in memory, for the tests of checks, which break one thing of it. */
import type { Facts } from '../../../cli/doctor/check.ts'
import type { Cluster } from '../../../cli/doctor/cluster.ts'
import { EXPECTED } from '../../../cli/doctor/expected.ts'
import { findInstallation } from '../../../cli/doctor/installation.ts'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { REQUESTED_BY, SPEC_HASH } from '../../../common/api/names.ts'
import type { KubeObject } from '../../../common/api/object.ts'
import { at, isEqual } from '../../../common/json/json.ts'
import { KubeError } from '../../../common/kube/client/errors.ts'
import { WRONG_OVERRIDE } from '../../../common/override/rules.ts'
import { realTimers } from '../../../common/program/clock.ts'
import { VERSION } from '../../../common/program/version.ts'
import { NOW } from '../some-experiments.ts'

/** Where the programs of the fakes are. */
export const SYSTEM = 'platform'

const object = (kind: string, name: string, more: object = {}, metadata: object = {}): KubeObject =>
  ({ apiVersion: 'v1', kind, ...more, metadata: { name, ...metadata } }) as KubeObject

const configuration = (kind: keyof typeof EXPECTED.webhooks) =>
  object(kind, 'experiment-deployment-controller', {
    webhooks: EXPECTED.webhooks[kind].map((webhook) => ({
      ...webhook,
      clientConfig: { caBundle: 'ca', service: { namespace: SYSTEM, name: 'experiment-webhook' } },
    })),
  })

/** The Deployment of a program, with these variables. */
export const program = (name: string, env: readonly object[] = [], labels: object = {}) =>
  object(
    'Deployment',
    name,
    {
      spec: { replicas: 2, template: { spec: { serviceAccountName: name, containers: [{ name, env }] } } },
      status: { availableReplicas: 2 },
    },
    { namespace: SYSTEM, labels: { 'app.kubernetes.io/version': VERSION, ...labels } },
  )

/** The Lease, renewed so many seconds ago. */
export const lease = (secondsAgo: number, holderIdentity = 'pod-1') =>
  object(
    'Lease',
    'experiment-controller',
    { spec: { holderIdentity, renewTime: new Date(NOW.getTime() - 1_000 * secondsAgo).toISOString() } },
    { namespace: SYSTEM },
  )

/** The policy about the account of the controller in `namespace`. */
export const policyAbout = (namespace: string) =>
  object('ValidatingAdmissionPolicy', 'experiment-controller-account', {
    spec: {
      matchConditions: [
        {
          expression: `request.userInfo.username == 'system:serviceaccount:${namespace}:experiment-controller'`,
        },
      ],
    },
  })

const SOUND: readonly KubeObject[] = [
  ...Object.entries(EXPECTED.crds).map(([name, hash]) =>
    object(
      'CustomResourceDefinition',
      name,
      { status: { conditions: [{ type: 'Established', status: 'True' }] } },
      { annotations: { [SPEC_HASH]: hash } },
    ),
  ),
  configuration('ValidatingWebhookConfiguration'),
  configuration('MutatingWebhookConfiguration'),
  program('experiment-controller'),
  program('experiment-webhook'),
  lease(1),
  policyAbout(SYSTEM),
  object('ValidatingAdmissionPolicyBinding', 'experiment-controller-account', {
    spec: { policyName: 'experiment-controller-account', validationActions: ['Deny'] },
  }),
]

type Posted = (kind: string, body: object, namespace?: string) => unknown

interface Broken {
  /** replaces objects of the same kind and name, or adds them */
  readonly objects?: readonly KubeObject[]
  /** kinds, or kinds with names, that are not there: `Lease`, `Deployment experiment-webhook` */
  readonly without?: readonly string[]
  /** kinds that the caller may not read */
  readonly unread?: readonly string[]
  /** what the API server answers to new objects; undefined: as a sound one */
  readonly posted?: Posted
}

/** What a refusal by RBAC says. */
export const forbidden = (what: string): KubeError =>
  new KubeError({
    ...{ kind: 'forbidden', status: 403, forbiddenBy: 'rights' },
    message: `User "me" cannot get ${what}`,
  })

/** The answer of the webhook to an override with replicas. */
export const refusal = (causes: readonly { readonly field: string; readonly message: string }[], message = 'refused') =>
  new KubeError({ kind: 'invalid', status: 422, message, causes })

const idOf = ({ kind, metadata: { name } }: KubeObject): string => `${kind} ${name}`

/** A cluster with the installation, of which something is broken. Notes every new object that somebody asks for. */
export function aCluster({ objects = [], without = [], unread = [], posted }: Broken = {}) {
  const own = new Map([...SOUND, ...objects].map((each) => [idOf(each), each]))
  const posts: (readonly [kind: string, body: object, namespace: string | undefined])[] = []
  const isLacking = (id: string, kind: string) => without.some((each) => each === id || each === kind)
  const cluster: Cluster = {
    get: async ({ kind }, { name, namespace }) => {
      if (unread.includes(kind)) return unknown(`you cannot get ${kind}`)
      const found = isLacking(`${kind} ${name}`, kind) ? undefined : own.get(`${kind} ${name}`)
      return found && found.metadata.namespace === namespace ? known(found) : ABSENT
    },
    list: async ({ kind }, { namespace }, label) => {
      if (unread.includes(kind)) return unknown(`you cannot list ${kind}`)
      return known(
        [...own.values()].filter(
          (each) =>
            each.kind === kind &&
            each.metadata.labels?.[label] !== undefined &&
            [undefined, each.metadata.namespace].includes(namespace),
        ),
      )
    },
    post: async ({ kind }, { namespace }, body) => {
      posts.push([kind, body, namespace])
      const answer = posted?.(kind, body, namespace)
      if (answer instanceof Error) throw answer
      return answer ?? soundAnswer(kind, body)
    },
  }
  return { cluster, posts }
}

function soundAnswer(kind: string, body: object): unknown {
  if (kind === 'SubjectAccessReview') return { status: { allowed: true } }
  if (isEqual(at(body, 'spec', 'overrideSpec'), WRONG_OVERRIDE.overrideSpec))
    throw refusal([{ field: WRONG_OVERRIDE.field, message: 'must be integer, found a string' }])
  return { ...body, metadata: { annotations: { [REQUESTED_BY]: 'me' } } }
}

/** The facts of a check about such a cluster. */
export async function someFacts(broken: Broken = {}, more: Partial<Facts> = {}) {
  const { cluster, posts } = aCluster(broken)
  const installation = await findInstallation(cluster, undefined)
  const facts: Facts = {
    ...{ cluster, installation, expected: EXPECTED },
    ...{ clock: () => NOW, timers: realTimers(), random: () => 0.5, signal: new AbortController().signal },
    ...more,
  }
  return { facts, posts }
}
