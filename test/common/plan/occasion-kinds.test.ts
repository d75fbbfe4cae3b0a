import { expect } from 'chai'
import { readyOf } from '../../../common/api/conditions.ts'
import { ABSENT, known } from '../../../common/api/known.ts'
import type { KubeObject, OwnerReference } from '../../../common/api/object.ts'
import type { DesiredFork } from '../../../common/assess/assess.ts'
import type { Facts, WrittenGeneration } from '../../../common/facts/facts.ts'
import { objectOr } from '../../../common/json/json.ts'
import {
  foldedMs,
  hasDrifted,
  hasSameDerivation,
  isSmaller,
  occasionOf,
  wordsOf,
} from '../../../common/plan/occasion.ts'
import { ownerReference } from '../../../common/workload/identity.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { assess } from '../of-facts.ts'
import { leftAt, someFacts, theFork } from './some-facts.ts'
import { aRun, CANARY } from './some-run.ts'

function wantedBy(facts: Facts): DesiredFork {
  const assessment = assess(facts)
  if (assessment.is !== 'wanted') throw new Error('no fork is wanted')
  return assessment
}

/** A converged experiment of `replicas` pods. */
const converged = (replicas = 1) =>
  someFacts({ experiment: anExperiment({ replicas, status: leftAt(3) }), fork: theFork() })

describe('a fork has drifted', () => {
  const fork = theFork()
  const OWNER = ownerReference(anExperiment())
  const withOwners = (ownerReferences: OwnerReference[]) => ({
    ...fork,
    metadata: { ...fork.metadata, ownerReferences },
  })
  const drifted: Readonly<Record<string, typeof fork>> = {
    'since another client wrote it': { ...fork, metadata: { ...fork.metadata, generation: 4 } },
    'since it was deleted and created again': { ...fork, metadata: { ...fork.metadata, uid: 'another' } },
    'when its hash is gone': { ...fork, metadata: { ...fork.metadata, annotations: {} } },
    'when a label is gone': { ...fork, metadata: { ...fork.metadata, labels: {} } },
    'when its owner is gone': { ...fork, metadata: { ...fork.metadata, ownerReferences: [] } },
    'when it has another owner, too': withOwners([OWNER, { ...OWNER, controller: false, uid: 'other' }]),
    'when its owner has another name': withOwners([{ ...OWNER, name: 'other' }]),
    'when its owner has a version that nobody serves': withOwners([{ ...OWNER, apiVersion: 'unknown/v1' }]),
    'when we no longer own a field of it': { ...fork, metadata: { ...fork.metadata, managedFields: [] } },
    'R2: when a pass ended between its apply and its takeover': {
      ...fork,
      metadata: {
        ...fork.metadata,
        managedFields: [...(fork.metadata.managedFields ?? []), { manager: 'before-first-apply', operation: 'Update' }],
      },
    },
  }
  const facts = converged()

  it('not while it is as the last pass left it', () => expect(hasDrifted(facts, fork, wantedBy(facts))).to.equal(false))

  for (const [sentence, changed] of Object.entries(drifted))
    it(sentence, () => expect(hasDrifted(facts, changed, wantedBy(facts))).to.equal(true))

  it('when another number of pods is wanted, which alone may be smaller', () => {
    const [none, two] = [converged(0), converged(2)]
    expect([hasDrifted(none, fork, wantedBy(none)), isSmaller(none, fork, wantedBy(none))]).to.deep.equal([true, true])
    expect([hasDrifted(two, fork, wantedBy(two)), isSmaller(two, fork, wantedBy(two))]).to.deep.equal([true, false])
  })
})

/** What an apply of `fork` is told as, and how it is made. */
function toldOf(given: Facts, fork: KubeObject, wanted: DesiredFork) {
  const facts = { ...given, fork: known(fork) }
  const occasion = occasionOf(facts, { wanted })
  const { text: message, isRepair = false } = wordsOf(occasion)
  return {
    ...{ message, isRepair, isSameDerivation: hasSameDerivation(facts, wanted) },
    foldedMs: foldedMs(facts, occasion),
  }
}

describe('the occasion of an apply', () => {
  const fork = theFork()

  it('is a repair when a fork is created that the status knows', () => {
    const facts = converged()
    expect(occasionOf(someFacts(), { wanted: wantedBy(facts) })).to.deep.equal({ is: 'created' })
    expect(wordsOf(occasionOf({ ...facts, fork: ABSENT }, { wanted: wantedBy(facts) })).isRepair).to.equal(true)
    expect(facts.experiment.status?.experimentResourceRef?.name).to.equal(FORK)
  })

  it('is a repair when another client scaled a fork without a strategy', () => {
    const facts = converged(2)
    expect(toldOf(facts, fork, wantedBy(facts))).to.deep.equal({
      message: 'restored: another client had modified it',
      isRepair: true,
      isSameDerivation: true,
      foldedMs: 0,
    })
  })

  it('is another derivation while the fields of a former one may be left', () => {
    const managedFields = [{ manager: 'experiment-controller', operation: 'Apply' }, { manager: 'before-first-apply' }]
    const shared = { ...fork, metadata: { ...fork.metadata, managedFields } }
    const occasion = (of: KubeObject) => toldOf(converged(), of, wantedBy(converged()))
    expect([occasion(fork).isSameDerivation, occasion(shared).isSameDerivation]).to.deep.equal([true, false])
  })

  it('is the step that decides the number of pods, and no repair', () => {
    const run = aRun()
    run.rest()
    run.wait(3_600)
    run.pass()
    const { fork: stored } = run.world
    const facts = run.facts()
    if (!stored) throw new Error('there is no fork')
    expect(toldOf(facts, stored, wantedBy(facts))).to.deep.equal({
      message: 'setWeight 20%: 3 pods',
      isRepair: false,
      isSameDerivation: true,
      foldedMs: 0,
    })
  })

  it('is the step also after a resize that the status does not have', () => {
    const run = aRun()
    run.rest()
    run.wait(3_600)
    run.pass()
    const { fork: stored } = run.world
    if (!stored) throw new Error('there is no fork')
    const resized = { ...stored, metadata: { ...stored.metadata, generation: 9 } }
    const { uid = '' } = stored.metadata
    const occasion = (unreported: WrittenGeneration) => {
      const facts = { ...run.facts(), unreported }
      return toldOf(facts, resized, wantedBy(facts))
    }
    expect(occasion({ uid, generation: 9 })).to.deep.include({ message: 'setWeight 20%: 3 pods', isRepair: false })
    expect(occasion({ uid, generation: 8 })).to.deep.include({ isRepair: true })
  })

  it('is a repair when another client scaled the fork of a run', () => {
    const run = aRun()
    run.rest()
    const { fork: stored } = run.world
    if (!stored) throw new Error('there is no fork')
    const scaled = {
      ...stored,
      metadata: { ...stored.metadata, generation: 9 },
      spec: { ...objectOr(stored.spec), replicas: 5 },
    }
    const facts = run.facts()
    expect(toldOf(facts, scaled, wantedBy(facts))).to.deep.include({
      isRepair: true,
    })
  })

  it('is an update after an edit', () => {
    const metadata = { generation: 2 }
    const experiment = anExperiment({
      metadata,
      strategy: CANARY,
      overrideSpec: { minReadySeconds: 3 },
      status: leftAt(3),
    })
    const before = someFacts({ experiment })
    const source = { ...wantedBy(before).base.source() }
    const facts = someFacts({ experiment: { ...experiment, status: { ...leftAt(3), source } }, fork })
    expect(toldOf(facts, fork, wantedBy(facts))).to.deep.include({
      message: 'updated to the spec of the experiment',
      isRepair: false,
    })
  })

  describe('after a pass that was interrupted between its write and its status', () => {
    const told = (status: object, metadata = {}) => {
      const facts = someFacts({ experiment: anExperiment({ metadata, status: { ...leftAt(2), ...status } }), fork })
      const { message, isRepair } = toldOf(facts, fork, wantedBy(facts))
      return [message, isRepair]
    }
    const source = wantedBy(converged()).base.source()

    it('is still an update after an edit', () =>
      expect(told({ source }, { generation: 2 })).to.deep.equal(['updated to the spec of the experiment', false]))

    it('still follows the source', () =>
      expect(told({ source: { ...source, templateHash: 'before' } })).to.deep.equal([
        `follows generation ${source.generation} of its source`,
        false,
      ]))

    it('says that the status does not have a fork that it created', () => {
      const ref = { ...leftAt(2).experimentResourceRef, uid: 'another' }
      const message = 'applied again: it is not in the status yet'
      expect(told({ source, experimentResourceRef: ref })).to.deep.equal([message, false])
      expect(told({ source, experimentResourceRef: undefined })).to.deep.equal([message, false])
    })

    it('is a repair where spec and base are those of the status', () =>
      expect(told({ source })).to.deep.equal(['restored: another client had modified it', true]))

    describe('of this process', () => {
      const unreported = { uid: 'uid-of-fork', generation: 3 }
      const byUs = (status: object, of = fork) => {
        const facts = someFacts({ experiment: anExperiment({ status: { ...leftAt(2), ...status } }), fork, unreported })
        const { message, isRepair } = toldOf(facts, of, wantedBy(facts))
        return [message, isRepair]
      }
      const changed = (generation: number, uid = 'uid-of-fork') => ({
        ...fork,
        metadata: { ...fork.metadata, generation, uid },
      })

      it('needs no other write, because nobody has changed the fork since', () => {
        const facts = someFacts({ experiment: anExperiment({ status: { ...leftAt(2), source } }), fork })
        expect(hasDrifted(facts, fork, wantedBy(facts))).to.equal(true)
        expect(hasDrifted({ ...facts, unreported }, fork, wantedBy(facts))).to.equal(false)
      })

      it('is a repair if another client has changed the fork since', () => {
        const repaired = ['restored: another client had modified it', true]
        expect(byUs({ source }, changed(4))).to.deep.equal(repaired)
        expect(byUs({ source }, { ...fork, metadata: { ...fork.metadata, labels: {} } })).to.deep.equal(repaired)
      })

      it('is no repair when the derivation changes back to that of the status', () => {
        const derivedBefore = { ...fork, metadata: { ...fork.metadata, annotations: {} } }
        const message = 'applied again: it is not in the status yet'
        expect(byUs({ source }, derivedBefore)).to.deep.equal([message, false])
      })
    })
  })

  it('is the end of having been alone behind a Service', () => {
    const status = { ...leftAt(3), aloneSince: '2026-11-21T09:00:00Z' }
    const facts = someFacts({ experiment: anExperiment({ replicas: 2, status }) })
    const empty = { ...fork, spec: { ...objectOr(fork.spec), replicas: 0 } }
    const { message } = toldOf(facts, empty, wantedBy(facts))
    expect(message).to.equal('has its pods again: another endpoint of its Service is ready')
  })
})

describe('the condition Ready of a stored status', () => {
  it('is found by its type', () => {
    const told = { observedGeneration: 1, lastTransitionTime: '', reason: 'Available', message: '' }
    const ready = { ...told, type: 'Ready', status: 'True' } as const
    expect(readyOf({ conditions: [{ ...ready, type: 'Stalled' }, ready] })).to.equal(ready)
    expect(readyOf(undefined)).to.equal(undefined)
  })
})
