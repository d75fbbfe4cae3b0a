import { GROUP } from '../../common/api/names.ts'
import { type FailureCause, KubeError, LoginFailed } from '../../common/kube/client/errors.ts'
import { KubeconfigError } from '../../common/kube/config/found.ts'
import { text } from '../../common/view/text.ts'
import { EXIT } from './exit-codes.ts'
import { Stop } from './stop.ts'

/** Any error as the end of a command. What the API server said is made safe, and its causes are kept one by one. */
export function explained(error: unknown): Stop {
  if (error instanceof Stop) return error
  if (error instanceof KubeError) return explainedKube(error)
  const message = error instanceof Error ? error.message : `${error}`
  return new Stop(EXIT.failed, text(message), LOOK_AT_KUBECONFIG)
}

const LOOK_AT_KUBECONFIG = 'Look at --kubeconfig, --context and $KUBECONFIG.'

function explainedKube(error: KubeError): Stop {
  const { kind, status, causes = [] } = error
  const message = text(error.message)
  // nothing was sent
  if (error.cause instanceof LoginFailed)
    return new Stop(EXIT.failed, message, 'Log in again, or choose other credentials with --context.')
  if (error.cause instanceof KubeconfigError) return new Stop(EXIT.failed, message, LOOK_AT_KUBECONFIG)
  if (kind === 'kindAbsent')
    return new Stop(
      EXIT.failed,
      error.attempted?.includes(GROUP)
        ? 'this cluster has no ExperimentDeployments'
        : 'this cluster does not know the kind',
      error.attempted?.includes(GROUP)
        ? 'Install the Experiment Deployment Controller, or choose another cluster with --context.'
        : 'Install what serves that kind, such as Argo Rollouts.',
    )
  if (kind === 'forbidden' && error.forbiddenBy === 'rights')
    return new Stop(EXIT.refused, message, 'Ask who manages the cluster for this right, or use --as or --context.')
  if (status === 403 || kind === 'forbidden' || (kind === 'invalid' && status !== undefined))
    return new Stop(
      EXIT.refused,
      causes.length > 1 ? `the API server refused it for ${causes.length} reasons` : message,
      'Correct what is refused. Nothing was changed.',
      { causes: causes.length > 1 ? causes.map(causeLine) : [] },
    )
  return new Stop(EXIT.failed, ...outages(error, message))
}

const causeLine = ({ field, message }: FailureCause): string => text(field === '' ? message : `${field}: ${message}`)

/** What is wrong and what to do where the API server neither did what was asked nor refused it. */
function outages({ kind, status }: KubeError, message: string): readonly [message: string, remedy: string] {
  switch (kind) {
    case 'notFound':
      return [message, 'Look at the name and at --namespace.']
    case 'conflict':
    case 'alreadyExists':
    case 'gone':
      return [message, 'It has changed meanwhile. Look at it, and try again.']
    case 'terminating':
      return [message, 'The namespace is being deleted. Choose another one with --namespace.']
    case 'invalid':
      return [message, 'This version cannot read it. Look at it with kubectl.']
    case 'unread':
      return [message, 'Make the object smaller.']
    case 'throttled':
    case 'server':
      return [message, 'Try again. If it goes on, ask who manages the cluster.']
    case 'timeout':
      return [message, 'It may have been done: look at it before you try again.']
    default:
      return status === 401
        ? [
            `the API server does not accept the credentials: ${message}`,
            'Log in again, or choose others with --context.',
          ]
        : [`the API server cannot be reached: ${message}`, 'Look at --context, --server and the network.']
  }
}

/**
 * `stop` as lines for standard error: what is wrong, every cause, and what to do. All of it is made safe: what somebody
 * wrote as an argument may come from a page that she copied.
 */
export const linesOf = ({ message, causes, remedy }: Stop): string =>
  [`error: ${text(message)}`, ...causes.map((cause) => `  ${text(cause)}`), text(remedy)]
    .map((line) => `${line}\n`)
    .join('')
