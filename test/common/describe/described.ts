import type { DescribeOptions } from '../../../common/describe/describe.ts'
import type { Facts } from '../../../common/facts/facts.ts'
import { describe as describePlan, evaluate, plan } from '../of-facts.ts'
import { type Given, someFacts } from '../plan/some-facts.ts'

/** An update, in an installation with the component for promotions. */
const INSTALLED = { isDryRunOfCreate: false } as const

/** The description of the plan for `facts` as warnings, and the fork if it is written. */
export function describedWarnings(facts: Facts) {
  const evaluation = evaluate(facts)
  const { assessment } = evaluation
  const changes = () => assessment.effect?.().changes() ?? []
  const planned = plan(facts, evaluation)
  const isWritten = planned.writes.some(({ verb }) => verb === 'apply')
  return {
    warnings: describePlan(facts, planned, { evaluation, changes, ...INSTALLED }),
    fork: isWritten && assessment.is === 'wanted' ? assessment.fork : undefined,
  }
}

/** Whether a line tells the most pods at one moment. Each plan does, and describe-pods.test.ts is about it. */
export const isAboutMostPods = (line: string): boolean => line.startsWith('[Plan] at most ')

/** The lines that describe the plan for `facts`, as `[Reason] message`, without the one about the most pods. */
export const describedFacts = (facts: Facts, more: Partial<DescribeOptions> = {}): readonly string[] =>
  allLines(facts, more).filter((line) => !isAboutMostPods(line))

/** All of these lines. */
export function allLines(facts: Facts, more: Partial<DescribeOptions> = {}): readonly string[] {
  const evaluation = evaluate(facts)
  const changes = () => evaluation.assessment.effect?.().changes() ?? []
  const lines = describePlan(facts, plan(facts, evaluation), { evaluation, changes, ...INSTALLED, ...more })
  return lines.map(({ reason, message }) => `[${reason}] ${message}`)
}

/** The same for `someFacts`. */
export const described = (given: Given = {}, more: Partial<DescribeOptions> = {}): readonly string[] =>
  describedFacts(someFacts(given), more)

/** The pods of `fork` as endpoints of the Service `cart`, with the pods of the source. */
export const trafficOf = (source: number, fork: string, pods = 0) => ({
  services: [{ name: 'cart', selector: { app: 'cart' } }],
  slices: [
    {
      service: 'cart',
      ready: [
        ...Array.from({ length: source }, (_, at) => ({ address: `s${at}`, pod: `cart-${at}` })),
        ...Array.from({ length: pods }, (_, at) => ({ address: `f${at}`, pod: `${fork}-${at}` })),
      ],
    },
  ],
})

/** `facts` of which the fork could not be read. */
export const withUnknownFork = (facts: Facts): Facts => ({ ...facts, fork: { is: 'unknown', because: 'unreachable' } })
