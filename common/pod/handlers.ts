import { didYouMean } from '../text/did-you-mean.ts'
import { listed } from '../text/list.ts'
import {
  type Field,
  fieldAt,
  hasValue,
  isSet,
  itemsOf,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { checkPortNumber } from './ports.ts'
import { headerNameProblem, portNameProblem } from './syntax.ts'

/** The container that a probe or a hook belongs to. */
interface HandlerOwner {
  readonly container: Field
  /** `terminationGracePeriodSeconds` of the pod */
  readonly gracePeriod: Field
}

const OF_PROBES = ['exec', 'httpGet', 'tcpSocket', 'grpc'] as const
const OF_HOOKS = ['exec', 'httpGet', 'tcpSocket', 'sleep'] as const

const COUNTS = ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']

/** The three probes of a container. */
export function checkProbes(owner: HandlerOwner): void {
  for (const name of ['livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
    if (!hasValue(owner.container, name)) continue
    const probe = fieldAt(owner.container, name)
    checkHandler(probe, OF_PROBES, owner)
    for (const key of COUNTS) if (hasValue(probe, key)) checkNotNegative(fieldAt(probe, key))
    checkThreshold(name, fieldAt(probe, 'successThreshold'))
    checkProbeGracePeriod(name, fieldAt(probe, 'terminationGracePeriodSeconds'))
  }
}

/** A number that must not be negative. */
export function checkNotNegative(field: Field): void {
  const number = numberOf(field)
  if (number !== undefined && number < 0) refuse(field, `must not be negative; got ${number}`)
}

function checkThreshold(name: string, threshold: Field): void {
  const number = numberOf(threshold)
  // 0 stands for the default
  if (name !== 'readinessProbe' && number !== undefined && number > 1)
    refuse(threshold, `must be 1 in a ${name}; remove it`)
}

function checkProbeGracePeriod(name: string, period: Field): void {
  const number = numberOf(period)
  if (number === undefined) return
  if (name === 'readinessProbe') refuse(period, 'cannot be set in a readinessProbe, which stops no pod; remove it')
  else if (number <= 0) refuse(period, `must be more than 0; got ${number}`)
}

/** What runs after a container starts and before it stops. */
export function checkHooks(owner: HandlerOwner): void {
  const lifecycle = fieldAt(owner.container, 'lifecycle')
  for (const name of ['postStart', 'preStop'])
    if (hasValue(lifecycle, name)) checkHandler(fieldAt(lifecycle, name), OF_HOOKS, owner)
}

function checkHandler(of: Field, kinds: readonly string[], owner: HandlerOwner): void {
  const [first, ...others] = kinds.filter((kind) => hasValue(of, kind))
  if (first === undefined) {
    requireValue(of, `must have one of ${kinds.join(', ')}; add one`)
    return
  }
  for (const kind of others)
    refuse(fieldAt(of, kind), `cannot be set together with ${first}; remove one of them`, {
      cause: 'FieldValueForbidden',
      others: [
        remedyAt(fieldAt(of, first), `cannot be set together with ${kind}; set ${kind} to null, or remove this`),
      ],
    })
  checkAction(fieldAt(of, first), first, owner)
}

function checkAction(action: Field, kind: string, owner: HandlerOwner): void {
  if (kind === 'exec' && itemsOf(fieldAt(action, 'command')).length === 0)
    requireValue(fieldAt(action, 'command'), 'must have a command; add it')
  if (kind === 'httpGet')
    for (const header of itemsOf(fieldAt(action, 'httpHeaders'))) {
      const name = fieldAt(header, 'name')
      if (isSet(name)) refuseIf(name, headerNameProblem(textAt(name)))
    }
  if (kind === 'sleep') checkSleep(fieldAt(action, 'seconds'), owner)
  else if (kind !== 'exec') checkPort(fieldAt(action, 'port'), owner)
}

/** The default of a pod. */
const GRACE_SECONDS = 30

function checkSleep(seconds: Field, { gracePeriod }: HandlerOwner): void {
  const [sleep, grace = GRACE_SECONDS] = [numberOf(seconds), numberOf(gracePeriod)]
  if (sleep === undefined || (sleep >= 0 && sleep <= grace)) return
  const limit = `must be from 0 to terminationGracePeriodSeconds (${grace})`
  refuse(seconds, `${limit}; got ${sleep}`, {
    others: [remedyAt(gracePeriod, `must be at least the sleep of a hook (${sleep} seconds); raise it`)],
  })
}

/** A number, or the name of a port of the container. The kubelet finds no other name, so such a probe always fails. */
function checkPort(port: Field, { container }: HandlerOwner): void {
  if (typeof port.value !== 'string') {
    checkPortNumber(port)
    return
  }
  const problem = portNameProblem(port.value)
  if (problem !== undefined) {
    refuse(port, problem)
    return
  }
  const ports = fieldAt(container, 'ports')
  const names = itemsOf(ports).flatMap((each) => textAt(fieldAt(each, 'name')) || [])
  if (names.includes(port.value)) return
  const meant = didYouMean(port.value, names)
  const known = names.length === 0 ? 'no port of this container has a name' : `its ports are ${listed(names)}`
  const remedy = meant === undefined ? `${known}; correct it, or use a number` : `did you mean "${meant}"?`
  refuse(port, `must be the name of a port of this container; ${remedy}`, {
    others: [remedyAt(ports, `must have a port with the name "${port.value}", which a probe or hook uses; keep it`)],
    isStored: true,
  })
}
