import { expect } from 'chai'
import type { SliceView } from '../../../common/surroundings/traffic.ts'
import { anExperiment, FORK } from '../../builders.ts'
import { NOW, slice, world } from './waking.ts'

describe('an experiment is woken by endpoints', () => {
  it('R10: of the Services that concern it, not of others in its namespace', async () => {
    const { slices, experiments, followers, diary, later } = world()
    const other: SliceView = { ...slice('till-1'), service: 'till' }
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'added', key: 'shop/till-x', after: other })
    expect(diary.splice(0)).to.deep.equal([])
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-1') })
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-1'), after: slice('cart-1') })
    expect(await later()).to.deep.equal(NOW)
    // the slice belongs to another Service now
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-1'), after: other })
    expect(await later()).to.deep.equal(NOW)
    followers.followAll('shop/faster-cart', 'shop')
    slices.emit({ is: 'deleted', key: 'shop/till-x', before: other })
    expect(await later()).to.deep.equal(NOW)
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    experiments.emit({ is: 'deleted', key: 'shop/faster-cart', before: anExperiment() })
    expect(followers.entryCount).to.equal(0)
  })

  it('within a second if they are its own pods, and a few seconds later if not, once for many changes', async () => {
    const { slices, traffic, followers, diary, later } = world()
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-5c6b-1') })
    expect(await later()).to.deep.equal(NOW)
    const both = slice('cart-5c6b-1', `${FORK}-7d9f-2`)
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-5c6b-1'), after: both })
    expect(diary).to.deep.equal(['add shop/faster-cart in 1000'])
    expect(traffic.of('shop').slices).to.deep.equal([both])
  })

  it('P3: one after the other, the newest first, but at once in turn if its pods depend on them', async () => {
    const { slices, experiments, followers, diary, later, time } = world()
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
    expect(diary.splice(0)).to.deep.equal(['add shop/alone in 5000'])
    expect(await later()).to.deep.equal(['add shop/new'])
    await time.pass(50)
    expect(diary).to.deep.equal(['add shop/old'])
  })

  it('of other pods not before it may write its shares', async () => {
    const { slices, followers, diary, restMs, time } = world()
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    restMs.set('shop/faster-cart', 30_000)
    slices.emit({ is: 'added', key: 'shop/cart-x', after: slice('cart-1') })
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice('cart-1'), after: slice('cart-1', 'cart-2') })
    await time.pass(29_999)
    expect(diary).to.deep.equal([])
    await time.pass(1)
    expect(diary).to.deep.equal(NOW)
  })

  it('that are lost a few seconds later, whatever else waits: its fork may be alone then', async () => {
    const { slices, followers, restMs, later } = world()
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    restMs.set('shop/faster-cart', 30_000)
    const both = slice('cart-1', 'cart-2')
    slices.emit({ is: 'added', key: 'shop/cart-x', after: both })
    slices.emit({ is: 'updated', key: 'shop/cart-x', before: both, after: slice('cart-1') })
    expect(await later()).to.deep.equal(NOW)
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    slices.emit({ is: 'deleted', key: 'shop/cart-x', before: both })
    expect(await later()).to.deep.equal(NOW)
  })

  it('P4: however many changes there are, once until its next pass begins', async () => {
    const { slices, paced, followers, later } = world()
    const change = () => slices.emit({ is: 'updated', key: 'shop/cart-x', before: slice(), after: slice('cart-1') })
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    for (let times = 0; times < 3; times += 1) change()
    expect(followers.take('shop', 'cart', { onlyNumbers: true })).to.deep.equal([])
    expect(await later()).to.deep.equal(NOW)
    change()
    expect(await later()).to.deep.equal([])
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    change()
    paced.forget('shop/faster-cart') // an earlier pass begins
    expect(await later()).to.deep.equal([])
    followers.follow('shop/faster-cart', 'shop', new Set(['cart']))
    change()
    expect(await later()).to.deep.equal(NOW)
  })
})
