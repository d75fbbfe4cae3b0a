import type { KubeObject } from '../common/api/object.ts'
import type { ClusterState, ObjectNames } from './cluster.ts'

/** Why the script cannot run, with what to do about it. Undefined if it can. */
type Obstacle = (found: ClusterState, names: ObjectNames) => string | undefined

const notInstalled: Obstacle = ({ configurations }, { configuration }) =>
  configurations.length === 2
    ? undefined
    : `found ${configurations.length} of 2 webhook configurations named ${configuration}; apply your overlay with manifests/script-certs first (docs/install.md, "Without cert-manager"), or name them with --configuration`

const injected: Obstacle = ({ configurations }) =>
  configurations.some(({ metadata }) => metadata.annotations?.['cert-manager.io/inject-ca-from'] !== undefined)
    ? 'cert-manager manages these webhook configurations and would undo this; let it manage the certificates, or install manifests/script-certs and remove their annotation cert-manager.io/inject-ca-from'
    : undefined

const issuedByCertManager: Obstacle = ({ ca, leaf }) => {
  const theirs = [ca, leaf].find((secret) => annotationsOf(secret)['cert-manager.io/certificate-name'] !== undefined)
  return theirs && `Secret ${theirs.metadata.name} belongs to cert-manager; delete its Certificate and the Secret first`
}

const annotationsOf = (object: KubeObject | undefined) => object?.metadata.annotations ?? {}

const OBSTACLES: readonly Obstacle[] = [notInstalled, injected, issuedByCertManager]

/** Every reason why the script cannot run. */
export const obstacles = (found: ClusterState, names: ObjectNames): readonly string[] =>
  OBSTACLES.flatMap((obstacle) => obstacle(found, names) ?? [])
