import { expect } from 'chai'
import fc from 'fast-check'
import { nextMove, type Side } from '../../../common/scaling/move.ts'
import { boundsOf, insideAtWeight, type SizePair } from '../../../common/scaling/sizes.ts'
import '../../property.ts'

const side = (replicas: number, available = replicas, counted = replicas): Side => ({
  replicas,
  counted,
  ready: available,
  available,
})

/** The sizes on the way from one pair to another, where pods start and end at once. */
function wayOf(from: SizePair, goal: SizePair, bounds: { readonly most: number; readonly least: number }) {
  const way: string[] = []
  let { fork, source } = from
  for (let count = 0; count < 200; count += 1) {
    const move = nextMove({ goal, sides: { fork: side(fork), source: side(source) }, bounds, isListed: true })
    if (move.is !== 'resize') return { way, is: move.is, fork, source }
    ;[fork, source] = move.side === 'fork' ? [move.to, source] : [fork, move.to]
    expect(fork + source, `the most pods, after ${way.join(', ')}`).to.be.at.most(bounds.most)
    expect(fork + source, `the least pods, after ${way.join(', ')}`).to.be.at.least(bounds.least)
    way.push(`${fork} + ${source}`)
  }
  throw new Error(`it has no end: ${way.join(', ')}`)
}

const OF_FIVE = boundsOf(5, { maxSurge: '25%', maxUnavailable: 0 })

describe('a move between a fork and its source', () => {
  it('grows one side first, and makes the other one smaller after', () =>
    expect(wayOf({ fork: 0, source: 5 }, { fork: 1, source: 4 }, OF_FIVE).way).to.deep.equal(['1 + 5', '1 + 4']))

  it('goes back from 80 % in two rounds', () =>
    expect(wayOf({ fork: 4, source: 1 }, { fork: 0, source: 5 }, OF_FIVE).way).to.deep.equal([
      '4 + 3',
      '2 + 3',
      '2 + 5',
      '0 + 5',
    ]))

  it('makes one side smaller first where there is no surge', () => {
    const bounds = boundsOf(5, { maxSurge: 0, maxUnavailable: 1 })
    expect(wayOf({ fork: 0, source: 5 }, { fork: 1, source: 4 }, bounds).way).to.deep.equal(['0 + 4', '1 + 4'])
  })

  it('takes pods of the fork that are not ready before anything else', () =>
    expect(
      nextMove({
        goal: { fork: 0, source: 5 },
        sides: { fork: side(4, 1), source: side(1) },
        bounds: OF_FIVE,
        isListed: false,
      }),
    ).to.deep.equal({ is: 'resize', side: 'fork', to: 1 }))

  it('makes nothing smaller before all nodes know the pods that take the place', () =>
    expect(
      nextMove({
        goal: { fork: 1, source: 4 },
        sides: { fork: side(1), source: side(5) },
        bounds: OF_FIVE,
        isListed: false,
      }),
    ).to.deep.equal({ is: 'wait', for: 'listing' }))

  it('makes nothing smaller while other pods are missing', () =>
    expect(
      nextMove({
        goal: { fork: 1, source: 4 },
        sides: { fork: side(1, 0), source: side(5) },
        bounds: OF_FIVE,
        isListed: true,
      }),
    ).to.deep.equal({ is: 'wait', for: 'pods' }))

  it('grows nothing while pods are ending, which a quota counts', () =>
    expect(
      nextMove({
        goal: { fork: 0, source: 5 },
        sides: { fork: side(2, 2, 4), source: side(3) },
        bounds: OF_FIVE,
        isListed: false,
      }),
    ).to.deep.equal({ is: 'wait', for: 'pods' }))

  it('comes from each weight to each other one within its bounds', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 30 }),
        fc.nat({ max: 99 }),
        fc.nat({ max: 99 }),
        fc.nat({ max: 3 }),
        (size, one, other, surge) => {
          const bounds = boundsOf(size, { maxSurge: surge, maxUnavailable: surge === 0 ? 1 : 0 })
          const [from, goal] = [one, other].map((weight) => insideAtWeight(weight, size, bounds))
          if (from && goal) expect(wayOf(from, goal, bounds)).to.include({ is: 'reached', ...goal })
        },
      ),
    ))
})
