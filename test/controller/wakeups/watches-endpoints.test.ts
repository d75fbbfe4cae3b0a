import { expect } from 'chai'
import type { SliceView } from '../../../common/surroundings/traffic.ts'
import { COALESCE_MS } from '../../../controller/wakeups/paced-wakeups.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { LATER, NOW, slice, world } from './waking.ts'

describe('an experiment is woken by endpoints', () => {
  it('R10: of the Services that concern it, not of others in its namespace', async () => {
    const { slices, experiments, followers, diary, time } = world()
    const other: SliceView = { ...slice('till-1'), service: 'till' }
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'added', key: 'shop/till-x', after: other })
    expect(diary.splice(0)).to.deep.equal([])
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-1') })
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-1'), after: slice('cart-1') })
    expect(diary.splice(0)).to.deep.equal(LATER)
    await time.pass(COALESCE_MS)
    // the slice belongs to another Service now
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-1'), after: other })
    expect(diary.splice(0)).to.deep.equal(LATER)
    await time.pass(COALESCE_MS)
    followers.followAll('shop/faster-cart', 'shop')
    slices.emit({ is: 'deleted', key: 'shop/till-x', before: other })
    expect(diary.splice(0)).to.deep.equal(LATER)
    experiments.emit({ is: 'deleted', key: 'shop/faster-cart', before: anExperiment() })
    expect(followers.entryCount).to.equal(0)
  })

  it('at once if they are its own pods, and a few seconds later if not, once for many changes', () => {
    const { slices, traffic, followers, diary } = world()
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-5c6b-1') })
    expect(diary.splice(0)).to.deep.equal(LATER)
    const both = slice('cart-5c6b-1', `${FORK}-7d9f-2`)
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-5c6b-1'), after: both })
    expect(diary).to.deep.equal(NOW)
    expect(traffic.of('shop').slices).to.deep.equal([both])
  })

  it('P3: one after the other, the newest first, but at once in turn if its pods depend on them', () => {
    const { slices, experiments, followers, diary } = world()
    diary.length = 0
    const ages = ['old', 'new', 'alone'].map((name, index) => ({ name, uid: name, creationTimestamp: `202${index}` }))
    for (const metadata of ages) {
      const status = metadata.name === 'alone' ? { aloneSince: '2026-11-21T10:00:00Z' } : {}
      const key = `shop/${metadata.name}`
      experiments.emit({ is: 'added', key, after: anExperiment({ metadata, status }) })
      followers.follow(key, 'shop', new Set(['cart']))
    }
    diary.length = 0
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-1') })
    expect(diary).to.deep.equal(['add shop/alone in 5000', 'add shop/new in 5000', 'add shop/old in 5050'])
  })
})
