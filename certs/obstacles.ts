import type { KubeObject } from '../common/api/object.ts'
import type { Found, Places } from './cluster.ts'

/** What keeps the script from its work, and what to do about it. */
type Obstacle = (found: Found, places: Places) => string | undefined

const notInstalled: Obstacle = ({ configurations }, { configuration }) =>
  configurations.length === 2
    ? undefined
    : `there are ${configurations.length} of the two webhook configurations named ${configuration}; install first: kubectl apply --server-side -k manifests/script-certs`

const injected: Obstacle = ({ configurations }) =>
  configurations.some(({ metadata }) => metadata.annotations?.['cert-manager.io/inject-ca-from'] !== undefined)
    ? 'cert-manager sees to these webhook configurations and would undo this; leave certificates to it, or install manifests/script-certs and remove their annotation cert-manager.io/inject-ca-from'
    : undefined

const issuedByCertManager: Obstacle = ({ ca, leaf }) => {
  const theirs = [ca, leaf].find((secret) => annotationsOf(secret)['cert-manager.io/certificate-name'] !== undefined)
  return theirs && `Secret ${theirs.metadata.name} is cert-manager's; delete its Certificate and the Secret first`
}

const annotationsOf = (object: KubeObject | undefined) => object?.metadata.annotations ?? {}

const OBSTACLES: readonly Obstacle[] = [notInstalled, injected, issuedByCertManager]

/** All that is in the way. */
export const obstacles = (found: Found, places: Places): readonly string[] =>
  OBSTACLES.flatMap((obstacle) => obstacle(found, places) ?? [])
