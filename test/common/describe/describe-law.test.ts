import { expect } from 'chai'
import fc from 'fast-check'
import { FORK_FINALIZER } from '../../../common/api/names.ts'
import { at, listOr } from '../../../common/json/json.ts'
import type { Write } from '../../../common/writes/write.ts'
import { LAW } from '../../property.ts'
import { describe as describePlan, evaluate, plan } from '../of-facts.ts'
import { aFactsCase, factsOf } from '../plan/some-facts-generated.ts'

/** A write in words: `creates deployment/x in shop with 1 pods`. In a dry run a new object has no name yet. */
function writeInWords(write: Write, isDryRun: boolean): string {
  if (write.verb === 'apply' || write.verb === 'create') {
    const { kind, metadata, spec } = write.object
    const isNew = write.role !== 'fork'
    const name = isNew && isDryRun ? metadata.name.replace(/[0-9a-f]{10}$/, '<id>') : metadata.name
    const pods = write.verb === 'apply' ? ` with ${at(spec, 'replicas')} pods` : ''
    return `${isNew ? 'creates' : 'updates'} ${kind.toLowerCase()}/${name} in ${metadata.namespace}${pods}`
  }
  const { kind, metadata } = write.of
  const object = `${kind.toLowerCase()}/${metadata.name}`
  if (write.verb === 'jsonPatch') return `gives ${object}`
  if (write.verb === 'delete') return `deletes ${object} in ${metadata.namespace}`
  if (write.role === 'fork') return `scales ${object} with ${at(write.patch, 'spec', 'replicas')} pods`
  const isAdded = listOr(at(write.patch, 'metadata', 'finalizers')).includes(FORK_FINALIZER)
  return `${isAdded ? 'adds the finalizer of' : 'removes the finalizer of'} ${metadata.name}`
}

const FORMS: readonly (readonly [RegExp, (found: RegExpExecArray) => string])[] = [
  [
    /^(creates|updates) (\w+\/\S+) in (\w+): (\d+) pods?, from deployment\/cart$/,
    ([, verb, object, namespace, pods]) => `${verb} ${object} in ${namespace} with ${pods} pods`,
  ],
  [
    /^creates (controllerrevision\/\S+) in (\w+): the base that the fork keeps$/,
    ([, object, namespace]) => `creates ${object} in ${namespace}`,
  ],
  [/^deletes (\w+\/\S+) in (\w+)$/, ([, object, namespace]) => `deletes ${object} in ${namespace}`],
  [/^scales (\w+\/\S+) (?:up|down) to (\d+) pods?$/, ([, object, pods]) => `scales ${object} with ${pods} pods`],
  [/^adds a finalizer to expd\/(\S+)$/, ([, name]) => `adds the finalizer of ${name}`],
  [/^removes the finalizer of expd\/(\S+)$/, ([, name]) => `removes the finalizer of ${name}`],
]

/** The write that a line of the plan names; undefined where it names none. */
function writeIn(line: string): string | undefined {
  for (const [form, inWords] of FORMS) {
    const found = form.exec(line)
    if (found) return inWords(found)
  }
  return undefined
}

const REACHED = [
  'creates deployment',
  'creates controllerrevision',
  'creates nothing',
  'updates deployment',
  'changes nothing',
  'deletes deployment',
  'deletes controllerrevision',
  'scales deployment',
  'adds a',
  'removes the',
  'the fork',
]

describe('The described writes are the writes of the plan', () => {
  it('for equal facts, by verb, object, namespace and number of pods, in the same order', () => {
    const reached = new Set<string>()
    fc.assert(
      fc.property(aFactsCase, fc.boolean(), (of, isDryRunOfCreate) => {
        const facts = factsOf(of)
        const evaluation = evaluate(facts)
        const planned = plan(facts, evaluation)
        const changes = () => evaluation.assessment.effect?.().changes() ?? []
        const lines = describePlan(facts, planned, {
          evaluation,
          changes,
          isDryRunOfCreate,
        })
          .filter(({ reason }) => reason === 'Plan')
          .map(({ message }) => message)
        for (const line of lines) reached.add(line.split(/[/:]/)[0]?.split(' ').slice(0, 2).join(' ') ?? '')
        const described = lines.flatMap((line) => writeIn(line) ?? [])
        expect(described).to.deep.equal(planned.writes.map((write) => writeInWords(write, isDryRunOfCreate)))
        expectNoContradiction(lines, planned.writes)
      }),
      LAW,
    )
    expect([...reached]).to.include.members(REACHED)
  })
})

/** A line that says that nothing is written must be true of what it names. */
function expectNoContradiction(lines: readonly string[], writes: readonly Write[]): void {
  const says = (text: RegExp) => lines.some((line) => text.test(line))
  const isApplied = writes.some(({ verb }) => verb === 'apply')
  if (says(/^(creates|changes) nothing until/)) expect(writes).to.deep.equal([])
  if (says(/^changes nothing else until/)) expect([isApplied, writes.length > 0]).to.deep.equal([false, true])
  if (says(/^changes nothing in /)) expect(isApplied).to.equal(false)
  if (says(/is unknown$/)) expect(writes.every(({ role }) => role !== 'fork' && role !== 'newFork')).to.equal(true)
}
