import { labelKeyProblem } from '../api/metadata-syntax.ts'
import { ONE, parseQuantity } from '../api/quantity.ts'
import { showValue } from '../json/field-path.ts'
import { count } from '../text/count.ts'
import { didYouMean } from '../text/did-you-mean.ts'
import {
  type Field,
  fieldAt,
  fieldIn,
  isSet,
  itemsOf,
  membersOf,
  refuse,
  refuseIf,
  remedyAt,
  requireValue,
  textAt,
} from './field.ts'
import { dnsLabelProblem } from './syntax.ts'

const OF_CONTAINERS = ['cpu', 'memory', 'ephemeral-storage']
const OF_PODS = ['cpu', 'memory']
const HUGE_PAGES = 'hugepages-'

/** Resources of Kubernetes itself. The others belong to extensions and cannot be overcommitted. */
const isNative = (name: string): boolean => !name.includes('/') || name.includes('kubernetes.io/')
const isOvercommitted = (name: string): boolean => isNative(name) && !name.startsWith(HUGE_PAGES)

/** `requests` and `limits` of a container, and the claims that it uses. */
export function checkResources(resources: Field, claimsOfPod: readonly string[]): void {
  checkAmounts(resources, containerResourceProblem)
  checkClaims(fieldAt(resources, 'claims'), claimsOfPod)
}

/** `requests` and `limits` of the whole pod, beside those of its `containers`. */
export function checkPodResources(resources: Field, containers: readonly Field[]): void {
  if (!isSet(resources)) return
  checkAmounts(resources, podResourceProblem)
  const claims = fieldAt(resources, 'claims')
  if (isSet(claims))
    refuse(claims, 'cannot be set for the whole pod; set it in a container', { cause: 'FieldValueForbidden' })
  for (const [name, limit] of membersOf(fieldAt(resources, 'limits')))
    for (const container of containers) {
      const own = fieldIn(container, 'resources', 'limits', name)
      if (isMore(own, limit))
        refuse(own, `must be at most the limit of the pod (${showValue(limit.value)}); lower it`, {
          others: [remedyAt(limit, `must be at least the limit of each container (${showValue(own.value)}); raise it`)],
        })
    }
  for (const [name, request] of membersOf(fieldAt(resources, 'requests'))) {
    const total = containers
      .map((container) => parseQuantity(fieldIn(container, 'resources', 'requests', name).value) ?? 0n)
      .reduce((sum, each) => sum + each, 0n)
    const own = parseQuantity(request.value)
    if (own !== undefined && total > own)
      refuse(request, 'must be at least the sum of the requests of all containers; raise it', {
        others: containers.map((container) =>
          remedyAt(
            fieldIn(container, 'resources', 'requests', name),
            `all containers together must request at most what the pod requests (${showValue(request.value)}); lower it`,
          ),
        ),
      })
  }
}

/** What a runtime class needs for itself. */
export function checkOverhead(overhead: Field): void {
  for (const [name, amount] of membersOf(overhead)) {
    checkAmount(amount, name, containerResourceProblem)
  }
}

type NameProblem = (name: string) => string | undefined

function checkAmounts(resources: Field, nameProblem: NameProblem): void {
  const limits = fieldAt(resources, 'limits')
  const requests = membersOf(fieldAt(resources, 'requests'))
  const amounts = [...membersOf(limits), ...requests]
  const wrong = new Set<string>()
  for (const [name, amount] of amounts) {
    const before = amount.errors.length
    checkAmount(amount, name, nameProblem)
    if (amount.errors.length > before) wrong.add(name)
  }
  for (const [name, request] of requests) if (!wrong.has(name)) checkRequest(name, request, fieldAt(limits, name))
  const names = amounts.map(([name]) => name)
  if (names.some((name) => name.startsWith(HUGE_PAGES)) && !names.some((name) => OF_PODS.includes(name)))
    refuse(resources, 'must have an amount of cpu or memory too, because it has huge pages; add one')
}

function checkAmount(amount: Field, name: string, nameProblem: NameProblem): void {
  const problem = nameProblem(name) ?? amountProblem(name, amount)
  const small = problem === undefined && BYTES.has(name) ? bytesProblem(amount, name) : undefined
  refuseIf(amount, problem)
  if (small !== undefined) refuse(amount, small, { isStored: true })
}

function checkRequest(name: string, request: Field, limit: Field): void {
  if (!isOvercommitted(name)) {
    if (!isSet(limit))
      requireValue(limit, `must be equal to the request (${showValue(request.value)}); set it`, [
        remedyAt(request, 'needs an equal limit; set it'),
      ])
    else if (isMore(request, limit) || isMore(limit, request))
      refuse(request, `must be equal to the limit (${showValue(limit.value)}); change one of them`, {
        others: [remedyAt(limit, `must be equal to the request (${showValue(request.value)}); change one of them`)],
      })
  } else if (isMore(request, limit))
    refuse(request, `must be at most the limit (${showValue(limit.value)}); lower it, or raise the limit`, {
      others: [
        remedyAt(limit, `must be at least the request (${showValue(request.value)}); raise it, or lower the request`),
      ],
    })
}

function isMore({ value }: Field, { value: other }: Field): boolean {
  if (value === other || (other ?? undefined) === undefined) return false // the usual cases need no arithmetic
  const [amount, least] = [parseQuantity(value), parseQuantity(other)]
  return amount !== undefined && least !== undefined && amount > least
}

function amountProblem(name: string, field: Field): string | undefined {
  const { value } = field
  if (isOvercommitted(name) && typeof value === 'string') {
    // the usual cases need no arithmetic
    if (BYTES.has(name) ? USUAL_BYTES.test(value) : !value.includes('-')) return undefined
  }
  const amount = parseQuantity(value)
  if (amount === undefined) return undefined // the schema says so
  if (amount < 0n) return `must not be negative; got ${showValue(value)}`
  if (!isNative(name) && amount % ONE !== 0n) return `must be a whole number; got ${showValue(value)}`
  return name.startsWith(HUGE_PAGES) ? pagesProblem(name, amount) : undefined
}

/** Amounts of bytes. */
const BYTES: ReadonlySet<string> = new Set(['memory', 'ephemeral-storage'])
/** No process starts with less memory. */
const LEAST_BYTES = 10n ** 6n * ONE
/** At least a million. */
const USUAL_BYTES = /^[1-9]\d*(?:\.\d+)?[MGTPE]i?$/

/** With a unit, in which nobody writes a small amount by mistake. */
const HAS_UNIT = /[kKMGTPE]i?\s*$/

/**
 * `m` is a thousandth, and a number without a suffix counts bytes: what was meant are megabytes. The runtime cannot
 * start a container whose limit of memory is so low. A request may be low, and so may a limit of storage.
 */
function bytesProblem({ value, parent }: Field, name: string): string | undefined {
  if (typeof value === 'string' && USUAL_BYTES.test(value)) return undefined
  const amount = parseQuantity(value)
  if (amount === undefined || amount === 0n || amount >= LEAST_BYTES) return undefined
  const isMemoryLimit = name === 'memory' && parent?.step === 'limits'
  if (!isMemoryLimit && HAS_UNIT.test(String(value))) return undefined
  const meant = `${/^[\d.]+/.exec(String(value).trim())?.[0] ?? '64'}Mi`
  const bytes = amount % ONE === 0n ? count(Number(amount / ONE), 'byte') : 'a fraction of a byte'
  const rule = isMemoryLimit ? 'must be at least 1M' : 'must have a unit such as Mi'
  return `${rule}; got ${showValue(value)}, which is ${bytes}; did you mean "${meant}"?`
}

function pagesProblem(name: string, amount: bigint): string | undefined {
  const size = parseQuantity(name.slice(HUGE_PAGES.length))
  return size !== undefined && size > 0n && amount % size !== 0n
    ? `must be a multiple of ${name.slice(HUGE_PAGES.length)}; change it`
    : undefined
}

const containerResourceProblem: NameProblem = (name) => {
  const problem = labelKeyProblem(name)
  if (problem !== undefined) return `${problem}; correct the name of the resource`
  if (!name.includes('/'))
    return OF_CONTAINERS.includes(name) || name.startsWith(HUGE_PAGES) ? undefined : unknown(name, OF_CONTAINERS)
  if (isNative(name)) return undefined
  const isExtended = !name.startsWith('requests.') && labelKeyProblem(`requests.${name}`) === undefined
  return isExtended ? undefined : 'must be the name of an extended resource, without "requests."; correct the name'
}

const podResourceProblem: NameProblem = (name) =>
  OF_PODS.includes(name) || name.startsWith(HUGE_PAGES) ? undefined : unknown(name, OF_PODS)

function unknown(name: string, known: readonly string[]): string {
  if (name === 'gpu') return 'unknown resource; devices have the domain of their maker, such as nvidia.com/gpu'
  const meant = didYouMean(name, known)
  return `unknown resource; ${meant === undefined ? `known are ${known.join(', ')} and names with a domain` : `did you mean "${meant}"?`}`
}

function checkClaims(claims: Field, ofPod: readonly string[]): void {
  const seen = new Set<string>()
  for (const claim of itemsOf(claims)) {
    const [name, request] = [fieldAt(claim, 'name'), fieldAt(claim, 'request')]
    const [text, part] = [textAt(name), textAt(request)]
    if (text === '') {
      requireValue(name, 'must be the name of a claim in resourceClaims of the pod; set it')
      continue
    }
    if (part !== '') {
      const problem = dnsLabelProblem(part)
      if (problem !== undefined) refuse(request, problem)
    }
    if (!ofPod.includes(text)) refuse(name, 'must be the name of a claim in resourceClaims of the pod; add it there')
    const key = part === '' ? text : `${text}/${part}`
    if (seen.has(key) || seen.has(text) || (part === '' && [...seen].some((each) => each.startsWith(`${text}/`))))
      refuse(name, 'is named twice; remove one of them', { cause: 'FieldValueDuplicate' })
    seen.add(key)
  }
}
