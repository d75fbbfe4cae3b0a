import { type Field, fieldAt, isSet, itemsOf, refuse, refuseIf, remedyAt, requireValue, textAt } from './field.ts'
import { dnsLabelProblem, dnsNameProblem, ipProblem, searchPathProblem } from './syntax.ts'

const MAX_NAMESERVERS = 3
const MAX_SEARCHES = 32
const MAX_SEARCH_CHARACTERS = 2_048

/** DNS, host names and the file `/etc/hosts` of a pod. A StatefulSet sets hostname and subdomain itself. */
export function checkNetwork(pod: Field, isStatefulSet: boolean): void {
  checkDns(pod)
  for (const alias of itemsOf(fieldAt(pod, 'hostAliases'))) {
    const ip = fieldAt(alias, 'ip')
    if (isSet(ip)) refuseIf(ip, ipProblem(textAt(ip)))
    for (const name of itemsOf(fieldAt(alias, 'hostnames'))) refuseIf(name, dnsNameProblem(textAt(name)))
  }
  if (!isStatefulSet)
    for (const key of ['hostname', 'subdomain'])
      if (textAt(fieldAt(pod, key)) !== '') refuseIf(fieldAt(pod, key), dnsLabelProblem(textAt(fieldAt(pod, key))))
  checkHostnameOverride(pod)
}

function checkDns(pod: Field): void {
  const [policy, config] = [fieldAt(pod, 'dnsPolicy'), fieldAt(pod, 'dnsConfig')]
  const [servers, searches] = [fieldAt(config, 'nameservers'), fieldAt(config, 'searches')]
  if (policy.value === 'None' && itemsOf(servers).length === 0) {
    requireValue(servers, 'must have a name server, because dnsPolicy is None; add one', [
      remedyAt(policy, 'needs a name server in dnsConfig.nameservers if it is None; add one'),
    ])
    return
  }
  if (itemsOf(servers).length > MAX_NAMESERVERS) refuse(servers, `must have at most ${MAX_NAMESERVERS}; remove some`)
  for (const server of itemsOf(servers)) refuseIf(server, ipProblem(textAt(server)))
  const names = itemsOf(searches).map(textAt)
  if (names.length > MAX_SEARCHES) refuse(searches, `must have at most ${MAX_SEARCHES}; remove some`)
  if (names.join(' ').length > MAX_SEARCH_CHARACTERS)
    refuse(searches, `must have at most ${MAX_SEARCH_CHARACTERS} characters together; remove some`)
  for (const search of itemsOf(searches)) refuseIf(search, searchPathProblem(textAt(search)))
  for (const option of itemsOf(fieldAt(config, 'options'))) {
    const name = fieldAt(option, 'name')
    if (textAt(name) === '') requireValue(name, 'must be the name of an option; set it')
  }
}

function checkHostnameOverride(pod: Field): void {
  const name = fieldAt(pod, 'hostnameOverride')
  if (!isSet(name)) return
  for (const key of ['setHostnameAsFQDN', 'hostNetwork'])
    if (fieldAt(pod, key).value === true)
      refuse(name, `cannot be set while ${key} is true; remove one of them`, {
        cause: 'FieldValueForbidden',
        others: [remedyAt(fieldAt(pod, key), 'cannot be true while hostnameOverride is set; remove one of them')],
      })
  if (textAt(name).length > 64) refuse(name, 'must have at most 64 characters; shorten it')
  else refuseIf(name, dnsNameProblem(textAt(name)))
}
