import { expect } from 'chai'
import fc from 'fast-check'
import { SCALED } from '../../../common/api/names.ts'
import { sizeLabel, sizeRecordOf } from '../../../common/scaling/record.ts'
import { aDeployment, aRollout, aStatefulSet, UID } from '../../builders.ts'

const labelled = (label: string) => aDeployment({ labels: { [SCALED]: label } })

describe('the record of a smaller source', () => {
  it('is a label with the uid of the experiment, the size and the written number', () => {
    const label = sizeLabel({ experiment: UID, size: 10, written: 8 })
    expect(label).to.equal(`${UID}.10.8`)
    expect(sizeRecordOf(labelled(label))).to.deep.equal({ experiment: UID, size: 10, written: 8 })
  })

  it('is read as it was written, and is a value that Kubernetes allows', () => {
    const count = fc.integer({ min: 0, max: 2 ** 31 - 1 })
    fc.assert(
      fc.property(fc.record({ experiment: fc.uuid(), size: count, written: count }), (record) => {
        const label = sizeLabel(record)
        expect(sizeRecordOf(labelled(label))).to.deep.equal(record)
        expect(label).to.match(/^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/)
        expect(label.length).to.be.at.most(58)
      }),
    )
  })

  const OTHERS: Readonly<Record<string, string>> = {
    'without a number': `${UID}.10`,
    'with a fourth part': `${UID}.10.8.1`,
    'without a uid': '.10.8',
    'with a uid that is too long': `${UID}0.10.8`,
    'with a negative number': `${UID}.10.-8`,
    'with a part of a pod': `${UID}.10.8e1`,
    'with more replicas than Kubernetes allows': `${UID}.2147483648.8`,
    'with spaces': `${UID}.10.8 `,
    'with a line more': `${UID}.10.8\n`,
    'that is empty': '',
  }
  for (const [what, label] of Object.entries(OTHERS))
    it(`is not a label ${what}`, () => expect(sizeRecordOf(labelled(label))).to.equal(undefined))

  it('is on no source without the label, nor on one without labels', () => {
    expect(sizeRecordOf(aDeployment())).to.equal(undefined)
    const { labels, ...metadata } = aDeployment().metadata
    expect(labels).to.not.equal(undefined)
    expect(sizeRecordOf({ ...aDeployment(), metadata })).to.equal(undefined)
  })

  it('is only on Deployments', () => {
    const label = { [SCALED]: `${UID}.10.8` }
    for (const source of [aStatefulSet(), aRollout()])
      expect(sizeRecordOf({ ...source, metadata: { ...source.metadata, labels: label } })).to.equal(undefined)
  })
})
