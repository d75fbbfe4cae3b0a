import { expect } from 'chai'
import { COMMAND } from '../../../common/api/names.ts'
import { promotionWarnings } from '../../../common/describe/promotion-warnings.ts'
import { installing } from '../../builders.ts'
import { someFacts } from '../plan/some-facts.ts'
import { aRunExperiment, aSource } from '../plan/some-run.ts'

const warned = (
  of: Parameters<typeof aRunExperiment>[0],
  { source = aSource(), installed = installing('promotion') } = {},
) => promotionWarnings(someFacts({ experiment: aRunExperiment(of), source, installed })).map(({ reason }) => reason)
const source = aSource()
const marked = { ...source, metadata: { ...source.metadata, labels: { 'app.kubernetes.io/managed-by': 'Helm' } } }

describe('the warnings about a promotion', () => {
  it('are none for a canary that says nothing about it, and for one that can be written', () => {
    expect(warned({}, { installed: installing() })).to.deep.equal([])
    expect(warned({ promotion: {} })).to.deep.equal([])
  })

  it('say that the installation writes no sources, also for the command', () => {
    expect(warned({ promotion: {} }, { installed: installing() })).to.deep.equal(['NotInstalled'])
    const metadata = { annotations: { [COMMAND]: 'promote' } }
    expect(warned({ metadata }, { installed: installing() })).to.deep.equal(['NotInstalled'])
    expect(warned({ promotion: { mode: 'Export' } }, { installed: installing() })).to.deep.equal([])
  })

  it('say that somebody declares the source, unless it is forced', () => {
    expect(warned({ promotion: {} }, { source: marked })).to.deep.equal(['SourceIsDeclared'])
    expect(warned({ promotion: { force: true } }, { source: marked })).to.deep.equal([])
  })

  it('say that there is nothing to promote', () => {
    expect(warned({ promotion: {}, overrideSpec: {} })).to.deep.equal(['NothingToPromote'])
    expect(warned({ promotion: {} }, { source: aSource(10, 'example/cart:2') })).to.deep.equal(['NothingToPromote'])
  })
})
