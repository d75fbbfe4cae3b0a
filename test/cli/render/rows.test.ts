import { expect } from 'chai'
import { changeLine, goneLine, listLines } from '../../../cli/render/rows.ts'
import { rowOf } from '../../../common/view/row.ts'
import { aCondition, aSteered, NOW } from '../some-experiments.ts'

const paused = rowOf(
  aSteered({
    run: {},
    spec: { analysis: {} },
    conditions: [aCondition('Ready', 'True', 'Available'), aCondition('Paused', 'True', 'PauseDuration')],
    status: { pods: '1/1', share: '8%', changes: '2 fields', expiresAt: '2026-11-28T16:16:00Z' },
  }),
)
const stalled = rowOf(
  aSteered({
    metadata: { name: 'cold-cart', namespace: 'cold' },
    conditions: [
      aCondition('Ready', 'False', 'HarmFound\u202e'),
      aCondition('Stalled', 'True', 'HarmFound\u202e', 'bad'),
    ],
  }),
)
const showing = { now: NOW, style: { hasColour: false, isPlain: false } }

describe('the list of experiments', () => {
  it('has a row for each, with how long it still lasts', () =>
    expect(listLines([stalled, paused], { namespace: false, wide: false, header: true }, showing)).to.deep.equal([
      '   NAME         SOURCE           PODS  SHARE  STEP  VERDICT  CHANGES   ENDS IN  STATUS',
      '!  cold-cart    deployment/cart  -     -      -     -        -         never    HarmFound\\u202e',
      '‖  faster-cart  deployment/cart  1/1   8%     1/7   -        2 fields  1h52m    PauseDuration, 41m left',
    ]))

  it('says of one that has ended only that', () => {
    const ended = { ...paused, state: 'Ended' } as const
    const [row = ''] = listLines([ended], { namespace: false, wide: false, header: false }, showing)
    expect(row).to.match(/^○ .* 2 fields {2}- {2}PauseDuration/)
  })

  it('names namespaces, and more where it may be wide', () =>
    expect(listLines([stalled], { namespace: true, wide: true, header: false }, showing)).to.deep.equal([
      '!  cold  cold-cart  deployment/cart  -  -  -  -  -  never  HarmFound\\u202e  25m  -  -  -  bad',
    ]))
})

describe('a change of an experiment', () => {
  it('is a line that stays true', () =>
    expect(changeLine(paused, NOW)).to.equal(
      '2026-11-28T14:24:00Z shop/faster-cart Paused  PauseDuration  1/1  8%  1/7',
    ))

  it('may be its end', () => expect(goneLine(paused, NOW)).to.equal('2026-11-28T14:24:00Z shop/faster-cart deleted'))
})
