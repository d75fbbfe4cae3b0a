import { expect } from 'chai'
import { ABSENT, known, unknown } from '../../../common/api/known.ts'
import { forkFacts, mayHaveRevision, NO_FORK, NO_REVISION, revisionFacts } from '../../../common/facts/own-objects.ts'
import { aDeployment, aFork, anExperiment, pinnedTo } from '../../builders.ts'

const { revision, status } = pinnedTo()
const pin = anExperiment({ onSourceChange: 'Pin', status })

describe('what is found under the name of the fork', () => {
  it('is the fork, or another object that holds the name', () => {
    expect(forkFacts(anExperiment(), known(aFork()))).to.deep.equal({ fork: known(aFork()), nameHolder: undefined })
    const other = aDeployment()
    expect(forkFacts(anExperiment(), known(other))).to.deep.equal({ fork: ABSENT, nameHolder: other })
  })

  it('may be absent, or unknown', () => {
    expect(forkFacts(anExperiment(), ABSENT)).to.deep.equal(NO_FORK)
    const late = unknown('late')
    expect(forkFacts(anExperiment(), late)).to.deep.equal({ fork: late, nameHolder: undefined })
  })
})

describe('what is found under the name of the revision', () => {
  it('is the pinned base, or another object that holds the name', () => {
    expect(revisionFacts(pin, known(revision))).to.deep.equal({ revision: known(revision), revisionHolder: undefined })
    const other = { ...revision, metadata: { name: revision.metadata.name } }
    expect(revisionFacts(pin, known(other))).to.deep.equal({ revision: ABSENT, revisionHolder: other })
  })

  it('may be absent', () => expect(revisionFacts(pin, ABSENT)).to.deep.equal(NO_REVISION))

  it('is looked for if the experiment is pinned or was at the last pass', () => {
    expect(mayHaveRevision(anExperiment({ onSourceChange: 'Pin' }))).to.equal(true)
    expect(mayHaveRevision(anExperiment({ status }))).to.equal(true)
    expect(mayHaveRevision(anExperiment())).to.equal(false)
  })
})
