import { expect } from 'chai'
import { boundedOverride } from '../../../common/api/decode.ts'
import type { SeenSource } from '../../../common/api/strategy.ts'
import type { JsonObject } from '../../../common/json/json.ts'
import type { Run } from '../../../common/strategy/run.ts'
import {
  driftText,
  isStoredInPart,
  seenByPromoter,
  seenSource,
  withSeen,
} from '../../../common/strategy/seen-source.ts'
import { imageOverride, POD } from '../../builders.ts'

const variable = (name: string, value: string): JsonObject => ({ name, value })
const spec = (cart: JsonObject = {}, ...others: readonly JsonObject[]) => ({
  template: { spec: { containers: [{ name: 'cart', image: 'example/cart:1', ...cart }, ...others] } },
})
const ENV = { template: { spec: { containers: [{ name: 'cart', env: [variable('TOKEN', 'new')] }] } } }
const seen = (source: JsonObject, override: JsonObject = imageOverride('example/cart:2')) => {
  const overrideSpec = boundedOverride(override)
  return seenSource({ spec: source, overrideSpec, overrideType: 'Strategic', shape: POD }) ?? expect.fail('it merges')
}

describe('what a source has in the fields that a promotion changes', () => {
  it('N12: is another when one of them changes, is added or removed', () => {
    const { values } = seen(spec())
    expect(values).to.match(/^[0-9a-f]{64}$/)
    expect(seen(spec({ image: 'example/cart:3' })).values).to.not.equal(values)
    const env = (...list: readonly JsonObject[]) => seen(spec({ env: list }), ENV).values
    expect(env(variable('TOKEN', 'a'))).to.not.equal(env())
    expect(env(variable('TOKEN', 'a'))).to.not.equal(env(variable('TOKEN', 'b')))
  })

  it('N12: is the same when something else changes, wherever it is', () => {
    const others = [{ name: 'proxy', image: 'example/proxy:1' }]
    const { values } = seen(spec())
    expect(seen(spec({ env: [variable('A', '1')] }, ...others)).values).to.equal(values)
    expect(seen({ ...spec(), replicas: 7 }).values).to.equal(values)
    const env = (...list: readonly JsonObject[]) => seen(spec({ env: list }), ENV).values
    expect(env(variable('A', '1'), variable('TOKEN', 'a'))).to.equal(env(variable('TOKEN', 'a'), variable('B', '1')))
  })

  it('N12: shows images and resources only, and few of them', () => {
    expect(seen(spec()).shown).to.deep.equal({ 'containers[cart].image': 'example/cart:1' })
    expect(seen(spec({ env: [variable('TOKEN', 'a')] }), ENV)).to.have.all.keys('values')
    const many = Array.from({ length: 9 }, (_, index) => ({ name: `c${index}`, image: 'example/c:1' }))
    const override = { template: { spec: { containers: many.map(({ name }) => ({ name, image: 'example/c:2' })) } } }
    expect(Object.keys(seen(spec({}, ...many), override).shown ?? {})).to.have.lengthOf(5)
    expect(seen(spec({ image: `example/${'c'.repeat(256)}` }))).to.have.all.keys('values')
  })
})

describe('what a run has seen once somebody promotes it', () => {
  const [BEFORE, NOW, OTHER]: readonly SeenSource[] = ['a', 'b', 'c'].map((values) => ({
    values,
    shown: { f: values },
  }))
  const run = { seen: BEFORE } as Run
  const by = (values: string | undefined, now: SeenSource | undefined = NOW) => seenByPromoter(values, run, () => now)

  it('N12: is what the person saw, with the values that are known of it', () => {
    expect([by('a'), by('b')]).to.deep.equal([BEFORE, NOW])
    expect([by('c'), by('b', OTHER)]).to.deep.equal([{ values: 'c' }, { values: 'b' }])
  })

  it('N12: is what the run saw, where it is not known what the person saw', () =>
    expect(by(undefined)).to.equal(BEFORE))
})

describe('the revision that a run has seen', () => {
  const run = (wholeRevision: string) => ({ wholeRevision }) as Run

  it('N12: is the present one until the step that promotes, and stays there', () => {
    expect(withSeen(run('1f'), { values: 'a', revision: '0e' }, false).seen).to.deep.equal({
      values: 'a',
      revision: '1f',
    })
    expect(withSeen(run('1f'), { values: 'a', revision: '0e' }, true).seen).to.deep.equal({
      values: 'a',
      revision: '0e',
    })
    expect(withSeen(run('1f'), { values: 'a' }, true).seen).to.deep.equal({ values: 'a', revision: '1f' })
    expect(withSeen({} as Run, { values: 'a', revision: '0e' }, false).seen).to.deep.include({ revision: '0e' })
  })
})

describe('a source that has a part of a promotion', () => {
  const OVERRIDE = { ...imageOverride('example/cart:2'), minReadySeconds: 5 }
  const isOurs = (present: JsonObject, former = spec()) => {
    const of = { overrideSpec: boundedOverride(OVERRIDE), overrideType: 'Strategic', shape: POD } as const
    return isStoredInPart({ ...of, spec: present }, former, seen(spec(), OVERRIDE))
  }

  it('N12: has a write of ours, if each field is as before or as promoted', () => {
    expect(isOurs(spec({ image: 'example/cart:2' }))).to.equal(true)
    expect(isOurs({ ...spec(), minReadySeconds: 5 })).to.equal(true)
    expect(isOurs(spec({ image: 'example/cart:2', env: [variable('A', '1')] }))).to.equal(true)
  })

  it('N12: has a change of others, if a field is something else, or was when the record was made', () => {
    expect(isOurs({ ...spec({ image: 'example/cart:3' }), minReadySeconds: 5 })).to.equal(false)
    expect(isOurs(spec({ image: 'example/cart:2' }), spec({ image: 'example/cart:0' }))).to.equal(false)
  })
})

describe('the text of a drift', () => {
  const text = (was: SeenSource['shown'], is: SeenSource['shown']) =>
    driftText({ values: 'a', ...(was && { shown: was }) }, { values: 'b', ...(is && { shown: is }) })

  it('N12: has both values of each shown field that differs', () => {
    expect(text({ image: 'a:1', cpu: '1' }, { image: 'a:3', cpu: '1' })).to.equal('image was a:1 and is a:3')
    expect(text({ image: 'a:1' }, {})).to.equal('image was a:1 and is another one')
    expect(text(undefined, { image: 'a:3' })).to.equal('image was another one and is a:3')
    expect(text({ image: 'a:1' }, { image: 'a:1' })).to.equal('a field whose value is not shown has another one')
  })
})
