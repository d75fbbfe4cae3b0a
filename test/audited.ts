/**
 * Whether the accounts of our two programs do only what their roles allow, and need all of it: from the audit log of
 * every control plane of a run.
 */
import { randomUUID } from 'node:crypto'
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parse } from 'yaml'
import { EXPERIMENT_DEPLOYMENT, GROUP } from '../common/api/names.ts'
import type { KubeObject } from '../common/api/object.ts'
import { at, listOr } from '../common/json/json.ts'
import { type AuditEvent, auditEvents } from '../sandbox/audit.ts'
import type { ControlPlane } from '../sandbox/control-plane.ts'
import { SourceWrites } from '../sandbox/source-writes.ts'
import { strayCommandsIn } from './commands.ts'
import { shipped } from './manifests/shipped.ts'

/** The variable with the folder in which the processes of one or more runs leave the rights that they used. */
export const USED_RIGHTS = 'USED_RIGHTS'

/** The accounts of our programs, in whichever namespace they are installed. */
const ACCOUNT = /^system:serviceaccount:[^:]+:(experiment-(?:controller|webhook))$/
/** Tests use the accounts with kubectl, too, to see what they may not do. */
const PROGRAM = /^experiment-(controller|webhook)\//

/** A permission as rules have it. An installation for one namespace has the same ones, but there. */
const rightOf = (account: string, verb: string, resource: string): string => `${account}: ${verb} ${resource}`

/** What else ran on a control plane. */
export interface AuditOptions {
  /** whether a former version ran there, whose commands do not say their namespace */
  readonly hasFormer?: boolean
}

/**
 * Stops the control plane. @throws Error that names what our programs tried there and may not do, or says how one ended
 * that nobody expected to end so
 */
export async function stopAudited(
  plane: Pick<ControlPlane, 'auditLog' | 'unexpectedExits' | 'stop'>,
  { hasFormer = false }: AuditOptions = {},
): Promise<void> {
  const problems: string[] = []
  try {
    const { used, forbidden, stray } = await rightsIn(plane.auditLog)
    const folder = process.env[USED_RIGHTS]
    if (folder !== undefined) writeFileSync(join(folder, randomUUID()), [...used].join('\n'))
    if (forbidden.size > 0) problems.push('our accounts may not do what they tried:', ...forbidden)
    if (stray.size > 0 && !hasFormer) problems.push('commands in statuses or Events without their namespace:', ...stray)
  } finally {
    await plane.stop() // it removes the log
  }
  problems.push(...plane.unexpectedExits())
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/**
 * What our programs were allowed in an audit log, and what they were not: nor may they write a source unasked, or tell
 * a command that reaches another object.
 */
export async function rightsIn(auditLog: string) {
  const [used, forbidden, stray] = [new Set<string>(), new Set<string>(), new Set<string>()]
  const sources = new SourceWrites()
  for await (const event of auditEvents(auditLog, ':experiment-')) {
    const { user, userAgent = '', verb, requestURI, annotations } = event
    const account = ACCOUNT.exec(user.username)?.[1]
    if (account === undefined || !PROGRAM.test(userAgent)) continue
    if (annotations?.['authorization.k8s.io/decision'] !== 'allow') forbidden.add(`${account}: ${verb} ${requestURI}`)
    else for (const right of usedBy(account, event)) used.add(right)
    for (const command of strayCommandsIn(event)) stray.add(command)
    sources.note(event)
    const problem = sources.problemOf(event)
    if (problem !== undefined) forbidden.add(`${account}: ${problem}`)
  }
  return { used, forbidden, stray }
}

/**
 * The rights that an allowed request used. An apply that creates is a patch, and needs both rights. For an object that
 * was created with a blocking owner reference, the plugin OwnerReferencesPermissionEnforcement asked for another one.
 */
function usedBy(account: string, event: AuditEvent): readonly string[] {
  const { verb, objectRef, requestObject, responseStatus } = event
  if (!objectRef?.resource) return [] // a path such as /openapi/v3, which everybody may read
  const { apiGroup = '', resource, subresource } = objectRef
  const name = `${apiGroup}/${resource}${subresource ? `/${subresource}` : ''}`
  const isCreated = responseStatus?.code === 201
  const verbs = verb === 'patch' && isCreated ? ['patch', 'create'] : [verb]
  const rights = verbs.map((each) => rightOf(account, each, name))
  return isCreated && blocksExperiment(requestObject) ? [...rights, rightOf(account, 'update', FINALIZERS)] : rights
}

const FINALIZERS = `${GROUP}/${EXPERIMENT_DEPLOYMENT.plural}/finalizers`

const blocksExperiment = (object: KubeObject | undefined): boolean =>
  object?.metadata?.ownerReferences?.some(
    ({ kind, blockOwnerDeletion }) => kind === EXPERIMENT_DEPLOYMENT.kind && blockOwnerDeletion === true,
  ) === true

/** The groups of resources that are in a rule with several groups. */
const GROUPS: Readonly<Record<string, string>> = { rollouts: 'argoproj.io', deployments: 'apps', statefulsets: 'apps' }

/** What the roles grant and no process has used that left its rights in `folder`, with the role of each. */
export const unusedRights = (folder: string): readonly string[] => unusedOf(shippedRoles(), folder)

/** The same without what only `npm run test:analyses` uses. */
export const unusedRightsWithoutAnalyses = (folder: string): readonly string[] =>
  unusedRights(folder).filter((right) => !/\/(cluster)?experimentanalysis\w+$/.test(right))

/** The same of what components add. Most of it is used by suites of their own, such as `npm run test:strategies`. */
export const unusedOfComponents = (folder: string): readonly string[] => unusedOf(componentRoles(), folder)

function unusedOf(granting: readonly Granting[], folder: string): readonly string[] {
  const used = new Set(readdirSync(folder).flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n')))
  return granting.flatMap(({ manifests, role }) =>
    grantedBy(role).flatMap((right) => (used.has(right) ? [] : [`manifests/${manifests}, ${role.kind} ${right}`])),
  )
}

interface Granting {
  /** the folder */
  readonly manifests: string
  readonly role: KubeObject
}

const shippedRoles = (): readonly Granting[] =>
  ['base', 'namespaced'].flatMap((manifests) =>
    shipped(manifests)
      .filter(({ kind, metadata }) => /Role$/.test(kind) && /^experiment-(controller|webhook)/.test(metadata.name))
      .map((role) => ({ manifests, role })),
  )

const COMPONENTS = 'experiment-controller-components'

/** The rules that each component adds to the role for components, as a role of its own. */
const componentRoles = (): readonly Granting[] =>
  globSync('manifests/*/kustomization.yaml').flatMap((file) => {
    const { kind, patches } = parse(readFileSync(file, 'utf8'))
    if (kind !== 'Component') return []
    const rules = listOr(patches)
      .filter((patch) => at(patch, 'target', 'name') === COMPONENTS)
      .flatMap((patch) => listOr(parse(`${at(patch, 'patch')}`)))
      .filter((operation) => at(operation, 'path') === '/rules/-')
      .map((operation) => at(operation, 'value'))
    const role = { kind: 'Role', metadata: { name: COMPONENTS }, rules } as unknown as KubeObject
    return [{ manifests: basename(dirname(file)), role }]
  })

function grantedBy(role: KubeObject): readonly string[] {
  const account = role.metadata.name.replace(/-(apart|components)$/, '')
  return listOr(at(role, 'rules')).flatMap((rule) =>
    listOr(at(rule, 'resources')).flatMap((resource) =>
      listOr(at(rule, 'apiGroups'))
        .filter((group) => (GROUPS[`${resource}`] ?? group) === group)
        .flatMap((group) =>
          listOr(at(rule, 'verbs')).map((verb) => rightOf(account, `${verb}`, `${group}/${resource}`)),
        ),
    ),
  )
}
