import { quoted } from '../../text/quoted.ts'
import { KubeconfigError } from './found.ts'
import type { Cluster, ExecConfig, User } from './kubeconfig.ts'

/** What a credential plugin and its clients speak. v1alpha1 is gone since Kubernetes 1.24. */
const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1']
const EXEC_MODES = ['Never', 'IfAvailable', 'Always']

/** `cluster`, if it does not contradict itself. The rules are those of kubectl. @throws KubeconfigError */
export function checkCluster(cluster: Cluster): Cluster {
  const { place, caFile, caData, isInsecure } = cluster
  const ca = 'certificate-authority'
  if (caFile && caData) throw new KubeconfigError(`${place} has both ${ca} and ${ca}-data: remove one`)
  if (isInsecure && (caFile || caData))
    throw new KubeconfigError(`${place} has both ${ca} and insecure-skip-tls-verify: remove one`)
  return cluster
}

/** `user`, if it does not contradict itself. The rules are those of kubectl. @throws KubeconfigError */
export function checkUser(user: User): User {
  const { place, certFile, certData, keyFile, keyData } = user
  const refuse = (finding: string): never => {
    throw new KubeconfigError(`${place} ${finding}`)
  }
  if (certFile && certData) refuse('has both client-certificate and client-certificate-data: remove one')
  if (certFile || certData) {
    if (keyFile && keyData) refuse('has both client-key and client-key-data: remove one')
    if (!keyFile && !keyData) refuse('has a client certificate without client-key or client-key-data: add one')
  }
  if (user.token && (user.username || user.password)) refuse('has both a token and a user name: remove one')
  if (!user.as && (user.asUid || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0))
    refuse('is to impersonate groups, a uid or extra without a user: name one with `as` or --as')
  if (user.exec && user.authProvider) refuse('has both exec and auth-provider: remove one')
  if (user.exec) checkExec(`${place}.exec`, user.exec)
  return user
}

function checkExec(place: string, { command, apiVersion = '', interactiveMode, env }: ExecConfig): void {
  const refuse = (finding: string): never => {
    throw new KubeconfigError(`${place}${finding}`)
  }
  if (command === '') refuse('.command is missing: name the program to run')
  if (!EXEC_VERSIONS.includes(apiVersion))
    refuse(`.apiVersion must be ${EXEC_VERSIONS.join(' or ')}, found ${quoted(apiVersion)}`)
  if (Object.hasOwn(env, '')) refuse('.env has an entry without a name: name the variable')
  // v1 has no default
  const mode = interactiveMode ?? (apiVersion.endsWith('/v1') ? '' : 'IfAvailable')
  if (!EXEC_MODES.includes(mode))
    refuse(`.interactiveMode must be one of ${EXEC_MODES.join(', ')}, found ${quoted(mode)}`)
}
