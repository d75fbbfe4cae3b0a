import { showValue } from '../json/field-path.ts'
import { member } from '../json/json.ts'
import {
  type Field,
  fieldAt,
  isSet,
  itemsOf,
  itemsUnless,
  numberOf,
  refuse,
  refuseIf,
  remedyAt,
  textAt,
} from './field.ts'
import { portNameProblem } from './syntax.ts'

const MAX_PORT = 65_535
const isPort = (number: number): boolean => number >= 1 && number <= MAX_PORT
const RANGE = `must be from 1 to ${MAX_PORT}`

/** The number of a port. */
export function checkPortNumber(port: Field): void {
  const number = numberOf(port)
  if (number !== undefined && !isPort(number)) refuse(port, `${RANGE}; got ${number}`)
}

/** The ports of one container. */
export function checkPorts(container: Field, hostNetwork: Field): void {
  const names = new Map<string, Field>()
  for (const port of itemsOf(fieldAt(container, 'ports'))) {
    const name = fieldAt(port, 'name')
    const text = textAt(name)
    const earlier = names.get(text)
    if (text !== '') {
      const problem = portNameProblem(text)
      refuseIf(name, problem)
      if (problem === undefined && earlier !== undefined) refuseSameName(port, earlier)
      names.set(text, port)
    }
    checkPortNumber(fieldAt(port, 'containerPort'))
    if (isWithoutHostPort(port.value)) continue
    const hostPort = fieldAt(port, 'hostPort')
    checkPortNumber(hostPort)
    if (hostNetwork.value === true) checkSamePort(port, hostPort, hostNetwork)
  }
}

/**
 * The other port is named by its number: under Strategic, its index in the override is another one, or there is none.
 */
function refuseSameName(port: Field, earlier: Field): void {
  const name = fieldAt(port, 'name')
  const besides = (other: Field) =>
    `must be unique: port ${fieldAt(other, 'containerPort').value} has the name ${showValue(textAt(name))} too; rename or remove one`
  refuse(name, besides(earlier), {
    cause: 'FieldValueDuplicate',
    others: [remedyAt(fieldAt(earlier, 'name'), besides(port))],
  })
}

/** 0 stands for none. */
function isWithoutHostPort(port: unknown): boolean {
  const hostPort = member(port, 'hostPort') ?? 0
  return hostPort === 0
}

function checkSamePort(port: Field, hostPort: Field, hostNetwork: Field): void {
  const containerPort = fieldAt(port, 'containerPort')
  if (isSet(hostPort) && hostPort.value !== containerPort.value)
    refuse(hostPort, 'must be equal to containerPort, because hostNetwork is true; change or remove it', {
      others: [
        remedyAt(containerPort, 'must be equal to hostPort, because hostNetwork is true; change it'),
        remedyAt(hostNetwork, 'cannot be true while a port has another hostPort; remove it, or change hostPort'),
      ],
    })
}

/** Ports of the node that more than one of the `containers` wants. */
export function checkHostPorts(containers: readonly Field[]): void {
  const seen = new Map<string, Field>()
  for (const port of containers.flatMap((container) => itemsUnless(fieldAt(container, 'ports'), isWithoutHostPort))) {
    const hostPort = fieldAt(port, 'hostPort')
    const number = numberOf(hostPort)
    if (number === undefined) continue
    const key = [textAt(fieldAt(port, 'protocol')) || 'TCP', textAt(fieldAt(port, 'hostIP')), number].join('/')
    const earlier = seen.get(key)
    const message = `must be unique in the pod: another container uses port ${number} of the node; change one`
    if (earlier) refuse(hostPort, message, { cause: 'FieldValueDuplicate', others: [remedyAt(earlier, message)] })
    seen.set(key, hostPort)
  }
}
