import { expect } from 'chai'
import fc from 'fast-check'
import {
  histogramOf,
  identityOf,
  KeptLabels,
  MAX_CHARACTERS,
  MAX_LABELS,
  MAX_NAMES,
  processOf,
} from '../../../common/analysis/series-labels.ts'
import { LAW } from '../../property.ts'

const READ = ['pod', 'namespace']
const labelsOf = (count: number, of = (index: number): string => `l${index}`) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [of(index), 'x']))
const kept = (metric: Readonly<Record<string, unknown>>) => new KeptLabels(READ).of(metric)

describe('the labels of series', () => {
  it('N30: are kept where they are read, and as one hash where they are not', () => {
    const read = { pod: 'a', namespace: 'shop', job: 'j', instance: 'i', container: 'c', le: '0.1', service: 's' }
    expect(kept({ __name__: 'h', ...read })).to.deep.equal({ is: 'kept', name: 'h', labels: read })
    const { labels } = kept({ __name__: 'h', ...read, path: '/x'.repeat(5_000) }) as { labels: Record<string, string> }
    const { '': hash, ...others } = labels
    expect(others).to.deep.equal(read)
    expect(hash).to.match(/^[0-9a-f]{64}$/)
  })

  it('N30: are refused where one is no text, or where a series has too many, too long or always other ones', () => {
    expect(kept({ pod: 5 })).to.deep.equal({ is: 'malformed' })
    expect(kept(labelsOf(MAX_LABELS))).to.have.property('is', 'kept')
    expect(kept(labelsOf(MAX_LABELS + 1))).to.deep.equal({ is: 'long' })
    expect(kept({ l: 'x'.repeat(MAX_CHARACTERS - 1) })).to.have.property('is', 'kept')
    expect(kept({ l: 'x'.repeat(MAX_CHARACTERS) })).to.deep.equal({ is: 'long' })
    const all = new KeptLabels(READ)
    for (let name = 0; name < MAX_NAMES; name += 1)
      expect(all.of(labelsOf(1, () => `l${name}`))).to.have.property('is', 'kept')
    expect(all.of(labelsOf(1, () => 'l0'))).to.have.property('is', 'kept')
    expect(all.of(labelsOf(1, () => 'one more'))).to.deep.equal({ is: 'various' })
  })

  it('N30: tell series from each other as all labels do', () => {
    const name = fc.constantFrom('pod', 'job', 'le', 'a', 'b', '__proto__', '')
    const metric = fc.dictionary(name, fc.constantFrom('', 'x', '|1 1 ax', 'x|1 1 bx'))
    const isSame = (one: Readonly<Record<string, string>>, other: Readonly<Record<string, string>>) =>
      JSON.stringify(Object.entries(one).sort()) === JSON.stringify(Object.entries(other).sort())
    fc.assert(
      fc.property(metric, metric, (one, other) => {
        const [series, another] = [one, other].map((each) => {
          const found = kept(each)
          return found.is === 'kept' ? { name: found.name, pod: '', labels: found.labels } : undefined
        })
        if (!series || !another) throw new Error('labels were refused')
        expect(identityOf(series) === identityOf(another)).to.equal(isSame(one, other))
        expect(histogramOf(series) === histogramOf(another)).to.equal(isSame({ ...one, le: '' }, { ...other, le: '' }))
      }),
      LAW,
    )
  })

  it('name the process by the pod, the job, the instance and the container', () => {
    const of = (labels: Readonly<Record<string, string>>) => processOf({ name: 'h', pod: 'a', labels })
    expect(of({ job: 'j', le: '1', path: '/' })).to.equal(of({ job: 'j' }))
    for (const label of ['job', 'instance', 'container']) expect(of({ [label]: 'x' })).not.to.equal(of({}))
  })
})
