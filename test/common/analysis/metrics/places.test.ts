import { expect } from 'chai'
import {
  keyOfPod,
  knownPlaces,
  loadedArms,
  MOST_PLACES,
  outside,
  type Places,
  placedPods,
  placesIn,
  savedArms,
} from '../../../../common/analysis/metrics/places.ts'

const pods = (...names: readonly string[]) => names.map((pod) => ({ pod }))
const many = (word: string, count: number) => pods(...Array.from({ length: count }, (_, index) => `${word}-${index}`))
const placeOf = (places: Places, pod: string) => places.find(({ key }) => key === keyOfPod(pod))?.place

describe('the places of pods', () => {
  it('are one for each pod, which keeps it', () => {
    const first = placedPods([], pods('a', 'b'))
    const next = placedPods(first, pods('b', 'c', 'a'))
    expect(['a', 'b', 'c'].map((pod) => placeOf(next, pod))).to.deep.equal([0, 1, 2])
    expect([placesIn(first), placesIn(next)]).to.deep.equal([2, 3])
    expect(knownPlaces(placedPods(next, pods('c')))).to.deep.equal(new Set([0, 1, 2]))
  })

  it('N42: of pods that have gone are taken by new ones, however many have gone', () => {
    let places: Places = []
    for (let rollout = 0; rollout < 50; rollout += 1) places = placedPods(places, many(`cart-${rollout}`, 3))
    expect([placesIn(places), places.length]).to.deep.equal([3, 64])
    expect(placeOf(places, 'cart-49-0')).to.not.equal(undefined)
  })

  it('N38: are the former ones of pods that come back, although others have come to them', () => {
    const places = placedPods(placedPods([], pods('a', 'b')), pods('b', 'c'))
    expect(placeOf(places, 'c')).to.equal(placeOf(places, 'a'))
    expect(placeOf(placedPods(places, pods('a', 'b', 'c')), 'a')).to.equal(0)
  })

  it('N38: are kept for a pod that a window has missed, however many others have gone', () => {
    let places = placedPods([], pods('old', 'other'))
    for (let rollout = 0; rollout < 40; rollout += 1)
      places = placedPods(places, [...pods('old'), ...many(`cart-${rollout}`, 3)])
    expect(placeOf(placedPods(places, many('cart-40', 3)), 'old')).to.equal(0)
    expect(placeOf(places, 'other')).to.equal(undefined)
  })

  it('N42: each have pods that are here after rollouts of more pods than places, ten at a time', () => {
    let places: Places = []
    for (let batch = 0; batch < 60; batch += 1)
      places = placedPods(
        places,
        [0, 1, 2].flatMap((age) => many(`cart-${batch - age}`, 10)),
      )
    expect([placesIn(places), places.length]).to.deep.equal([MOST_PLACES, 64])
    const here = Map.groupBy(
      places.filter(({ isHere }) => isHere),
      ({ place }) => place,
    )
    expect(here.size).to.equal(MOST_PLACES)
    for (const { length } of here.values()) expect(length).to.be.at.most(8)
  })

  it('are shared where there are more pods', () => {
    const places = placedPods([], many('cart', 64))
    expect(placesIn(places)).to.equal(MOST_PLACES)
    const sizes = Map.groupBy(places, ({ place }) => place)
    expect([...sizes.values()].map(({ length }) => length)).to.deep.equal(Array(MOST_PLACES).fill(8))
    expect(placedPods(places, many('other', 64))).to.have.length(64)
  })

  it('can be left out with all that their pods counted, but not what names no pod', () => {
    const places = placedPods([], pods('a', 'b'))
    const counts = [{ pod: 'a' }, { pod: 'b' }, {}]
    expect(outside(places, 0, counts)).to.deep.equal([{ pod: 'b' }, {}])
    expect(outside(places, undefined, counts)).to.deep.equal(counts)
  })

  it('come back as they were saved', () => {
    const places = placedPods(placedPods([], pods('a', 'b')), pods('b', 'c'))
    const [treatment = [], control = []] = savedArms({ treatment: places, control: [] })
    expect(loadedArms(treatment, control)).to.deep.equal({ treatment: places, control: [] })
  })

  it('are of names that are told apart by a number that JSON keeps', () => {
    const keys = Array.from({ length: 1_000 }, (_, pod) => keyOfPod(`cart-${pod}`))
    expect(new Set(keys).size).to.equal(1_000)
    for (const key of keys) expect(Number.isSafeInteger(key)).to.equal(true)
  })
})
