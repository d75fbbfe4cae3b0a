import { expect } from 'chai'
import { treeLines } from '../../../cli/render/tree.ts'
import { text } from '../../../common/view/text.ts'
import { aViewOf, NOW } from '../some-experiments.ts'

const pod = (name: string, of: object = {}) => ({
  ...{ name, phase: 'Running', isReady: false, restarts: 1, createdAt: '2026-11-28T14:23:00Z' },
  ...of,
})
const view = {
  ...aViewOf(),
  fork: { ...{ kind: 'Deployment', namespace: 'shop', name: 'fork', uid: 'u' }, ready: 0, wanted: 2 },
  pods: [pod('b', { problem: text('CrashLoopBackOff') }), pod('a\u202e', { node: 'n1' })],
}
const showing = { now: NOW, style: { hasColour: false, isPlain: true } }

describe('the tree of an experiment', () => {
  it('draws pods below their fork, also in ASCII, with what is wrong with them', () =>
    expect(treeLines(view, showing)).to.deep.equal([
      'NAME             KIND                  STATUS              AGE  INFO',
      'faster-cart      ExperimentDeployment  + Running           25m',
      '`-- fork         Deployment            ~ 0/2               -',
      '    |-- b        Pod                   X CrashLoopBackOff  1m   not ready, 1 restart',
      '    `-- a\\u202e  Pod                   ~ Running           1m   not ready, 1 restart, n1',
    ]))

  it('leaves out the middle of names where the terminal is narrow', () => {
    const [, , fork = ''] = treeLines(
      { ...view, fork: { ...view.fork, name: `cart-experiment-${'x'.repeat(40)}-end` } },
      { ...showing, width: 100 },
    )
    expect(fork).to.match(/^`-- cart-exp.*\.\.\..*-end {2}Deployment/)
    expect(fork.length).to.be.lessThan(101)
  })
})
