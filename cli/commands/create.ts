import type { TemplateUse } from '../../common/api/analysis/analysis.ts'
import { SOURCE_KINDS } from '../../common/api/defaults.ts'
import { ANALYSIS_TEMPLATE, CLUSTER_ANALYSIS_TEMPLATE, EXPERIMENT_DEPLOYMENT } from '../../common/api/names.ts'
import type { ResourceType } from '../../common/api/object.ts'
import { KubeError } from '../../common/kube/client/errors.ts'
import { resourcePath } from '../../common/kube/client/resources.ts'
import { fetchSource } from '../../common/kube/reads/source.ts'
import { didYouMean } from '../../common/text/did-you-mean.ts'
import { text } from '../../common/view/text.ts'
import type { WorkloadKind } from '../../common/workload/kind.ts'
import { workloadKind } from '../../common/workload/registry.ts'
import { EXIT, type ExitCode } from '../process/exit-codes.ts'
import { misuse, Stop } from '../process/stop.ts'
import { type DocumentForm, documentOf } from '../render/document.ts'
import { experimentFrom, type Wanted } from './experiment-from.ts'
import { FIELD_MANAGER, fullName, print, type Session } from './session.ts'

export interface CreateFlags extends Omit<Wanted, 'namespace' | 'templates'> {
  /** absent: no analysis; empty: one about restarts */
  readonly analysis?: readonly string[]
  readonly dryRun?: 'client' | 'server'
  readonly output?: DocumentForm | 'name'
}

/** The workload that is named by `[KIND/]SOURCE`. */
export interface SourceArgument {
  readonly kind: WorkloadKind
  readonly name: string
}

/** The words of kubectl for the kinds that can be forked. */
const WORDS: Readonly<Record<(typeof SOURCE_KINDS)[number], readonly string[]>> = {
  Deployment: ['deployment', 'deployments', 'deploy', 'deployments.apps', 'deployment.apps'],
  StatefulSet: ['statefulset', 'statefulsets', 'sts', 'statefulsets.apps', 'statefulset.apps'],
  Rollout: ['rollout', 'rollouts', 'ro', 'rollouts.argoproj.io', 'rollout.argoproj.io'],
}

/** A `[KIND/]SOURCE`; a Deployment without KIND. @throws Stop that lists the kinds */
export function sourceOf(written: string): SourceArgument {
  const [first = '', name = first, ...more] = written.split('/')
  const word = written.includes('/') ? first.toLowerCase() : 'deployment'
  const kindName = SOURCE_KINDS.find((each) => WORDS[each].includes(word))
  const kind = kindName && workloadKind(kindName)
  if (kind && name !== '' && more.length === 0) return { kind, name }
  const meant = didYouMean(word, Object.values(WORDS).flat())
  throw misuse(
    written,
    kind ? 'no name after "/"' : `no kind "${first}" that can be a source`,
    meant && !kind
      ? `Did you mean ${meant}/${name}?`
      : `Write ${Object.values(WORDS)
          .map(([each]) => `${each}/NAME`)
          .join(', ')}, or a name.`,
  )
}

/**
 * Creates an experiment on a source, or shows what it would be. The plan of the webhook goes to standard error, so that
 * a document on standard output is only that.
 * @throws Stop, KubeError
 */
export async function create(session: Session, argument: SourceArgument, flags: CreateFlags): Promise<ExitCode> {
  const { client, io, namespace } = session
  const { kind, name } = argument
  const { analysis, dryRun, output, ...wanted } = flags
  const source = await fetchSource(client, kind, { namespace, name })
  if (!source)
    throw new Stop(
      EXIT.failed,
      `there is no ${kind.kind.toLowerCase()}/${text(name)} in namespace ${text(namespace)}`,
      'Look at the name and at --namespace.',
    )
  const templates = analysis && (await Promise.all(analysis.map((each) => templateNamed(session, each))))
  const manifest = experimentFrom({ ...wanted, namespace, ...(templates ? { templates } : {}) }, { kind, source })
  const made = dryRun === 'client' ? manifest : await sent(session, manifest, dryRun === 'server')
  const shown = fullName(manifest.metadata.name)
  if (output === 'name') print(session, [shown])
  else if (output) io.out(await documentOf(made, output))
  else print(session, [`${shown} created${dryRun ? ` (${dryRun === 'client' ? '' : 'server '}dry run)` : ''}`])
  return EXIT.done
}

async function sent({ client, io }: Session, manifest: ReturnType<typeof experimentFrom>, isDryRun: boolean) {
  const { namespace } = manifest.metadata
  const warnings: string[] = []
  try {
    const made = await client.request({
      verb: 'create',
      path: resourcePath(EXPERIMENT_DEPLOYMENT, { namespace }),
      body: manifest,
      query: { fieldManager: FIELD_MANAGER, fieldValidation: 'Strict', dryRun: isDryRun ? 'All' : undefined },
      signal: io.signal,
      onWarning: (warning) => warnings.push(`${text(warning)}\n`),
    })
    io.err(warnings.join(''))
    return made
  } catch (error) {
    // the webhook has planned it before the API server found that the name is taken
    if (error instanceof KubeError && error.kind === 'alreadyExists') throw taken(manifest.metadata, error)
    io.err(warnings.join(''))
    throw error
  }
}

const taken = ({ name, namespace }: { readonly name: string; readonly namespace: string }, cause: unknown): Stop =>
  new Stop(
    EXIT.failed,
    `there is an experiment ${name} in namespace ${text(namespace)} already`,
    'Choose another name with --name.',
    { cause },
  )

/** The template with this name: of the namespace, else of the cluster. @throws Stop if there is none, KubeError */
async function templateNamed({ client, io, namespace }: Session, name: string): Promise<TemplateUse> {
  const exists = (resource: ResourceType, where: { readonly namespace?: string }) =>
    client
      .request({ verb: 'get', path: resourcePath(resource, { ...where, name }), signal: io.signal, isNameEnough: true })
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof KubeError && error.kind === 'notFound') return false
          throw error
        },
      )
  if (await exists(ANALYSIS_TEMPLATE, { namespace })) return { name }
  if (await exists(CLUSTER_ANALYSIS_TEMPLATE, {})) return { name, scope: 'Cluster' }
  throw new Stop(
    EXIT.failed,
    `there is no template ${text(name)}, neither in namespace ${text(namespace)} nor of the cluster`,
    'Look at: kubectl get experimentanalysistemplates,clusterexperimentanalysistemplates',
  )
}
