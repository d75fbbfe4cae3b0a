/** Services as a team declares them, and what our accounts write of them. */
import { EXPERIMENT_ID } from '../../common/api/names.ts'
import type { KubeObject } from '../../common/api/object.ts'
import { isEqual, type JsonObject, objectOr } from '../../common/json/json.ts'
import { type AuditEvent, auditEvents } from '../../sandbox/audit.ts'
import { isAboutPin } from '../../sandbox/proof.ts'

/** A Service with more fields than we need, as kubectl reads it. */
export const teamManifest = (name: string, app: string, spec: JsonObject = {}): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, labels: { team: 'cart' }, annotations: { 'team.example/contact': 'cart@team.example' } },
    spec: {
      type: 'ClusterIP',
      sessionAffinity: 'ClientIP',
      internalTrafficPolicy: 'Cluster',
      selector: { app },
      ports: [
        { name: 'http', port: 80, targetPort: 8080 },
        { name: 'metrics', port: 9090 },
      ],
      ...spec,
    },
  })

/** All that nobody but its team may write of a Service: without our key, and what the API server counts. */
export function ofTheTeam({ metadata, spec, ...others }: KubeObject): unknown {
  const { resourceVersion: _version, managedFields: _managers, ...kept } = metadata
  const { publishNotReadyAddresses: _published, selector, ...fields } = objectOr(spec)
  const { [EXPERIMENT_ID]: _pin, ...pairs } = objectOr(selector)
  return { ...others, metadata: kept, spec: { ...fields, selector: pairs } }
}

const WRITES = new Set(['create', 'update', 'patch', 'delete', 'deletecollection'])
const isOurs = ({ user }: AuditEvent): boolean => /^system:serviceaccount:.*:experiment-/.test(user.username)
const versionOf = ({ responseObject }: AuditEvent) => BigInt(responseObject?.metadata.resourceVersion ?? 0)

/** What our accounts wrote of Services, according to an audit log: how often, and what they may not. */
export async function serviceWrites(auditLog: string, isPreview: (name: string) => boolean) {
  const events: AuditEvent[] = []
  for await (const event of auditEvents(auditLog, '"services"')) {
    const { objectRef, verb, responseStatus } = event
    const isService = objectRef?.resource === 'services' && objectRef.apiGroup === undefined
    if (isService && WRITES.has(verb) && (isOurs(event) || (responseStatus?.code ?? 500) < 300)) events.push(event)
  }
  const written = events.filter(({ responseStatus }) => (responseStatus?.code ?? 500) < 300)
  const before = (event: AuditEvent) =>
    written
      .filter(
        (other) =>
          other.objectRef?.name === event.objectRef?.name && !isOurs(other) && versionOf(other) < versionOf(event),
      )
      .reduce<AuditEvent | undefined>(
        (last, other) => (last && versionOf(last) > versionOf(other) ? last : other),
        undefined,
      )?.responseObject
  const ours = events.filter(isOurs)
  const forbidden = ours.flatMap((event) => {
    const { verb, objectRef, requestObject, requestURI, responseStatus, responseObject } = event
    const { name = '', subresource } = objectRef ?? {}
    const what = `${verb} ${name}: ${JSON.stringify(requestObject)}`
    const isSwitch =
      verb === 'patch' && subresource === undefined && isAboutPin(requestObject, { isPreview: isPreview(name) })
    if (!isSwitch) return [what]
    if (!/[?&]fieldManager=experiment-controller(&|$)/.test(requestURI)) return [`${what}: ${requestURI}`]
    const last = before(event)
    if ((responseStatus?.code ?? 500) >= 300) return []
    // compared with what its team, or somebody else, wrote last: what we wrote in between has to be as allowed
    const isSame = last && responseObject && isEqual(ofTheTeam(last), ofTheTeam(responseObject))
    return isSame ? [] : [`${what}: changes more: ${JSON.stringify(responseObject)}`]
  })
  return { count: ours.length, forbidden }
}
