import { expect } from 'chai'
import fc from 'fast-check'
import { pluginAnswer, pluginRequest } from '../../../../common/analysis/query/plugin.ts'
import { LAW } from '../../../property.ts'
import { aWindowQuery } from './queries.ts'

describe('the request to a plugin', () => {
  it('has all that it may know', () => {
    const { body, ...request } = pluginRequest({ args: { route: '/cart', ns: '{{namespace}}' } }, aWindowQuery({}))
    expect(request).to.deep.equal({ method: 'POST', path: '/' })
    expect(body?.type).to.equal('application/json')
    expect(JSON.parse(body?.text ?? '')).to.deep.equal({
      apiVersion: 'experimentcontroller.example.com/v1alpha1',
      run: { name: 'cart-fork-0123456789', namespace: 'shop', uid: '6c1f' },
      metric: { name: 'm', args: { route: '/cart', ns: 'shop' } },
      window: { start: '2026-11-21T14:05:00.000Z', end: '2026-11-21T14:05:30.000Z' },
      control: { pods: ['cart-0', 'cart-1'] },
      treatment: { pods: ['cart-fork-0'] },
    })
  })

  it('fills in what is of one arm for the treatment', () => {
    const text = '{{arm}} {{pods}} {{workload}} {{windowSeconds}}'
    const told = JSON.parse(pluginRequest({ args: { text } }, aWindowQuery({})).body?.text ?? '')
    expect(told.metric.args).to.deep.equal({ text: 'treatment cart-fork-0 cart-fork 30' })
  })

  it('needs no args', () =>
    expect(JSON.parse(pluginRequest({}, aWindowQuery({})).body?.text ?? '').metric.args).to.deep.equal({}))
})

const decided = (message: unknown, decision: unknown = 'Pass') => pluginAnswer('Decision', { decision, message })
const shown = (message: unknown) => {
  const answer = decided(message)
  return answer.is === 'data' && answer.data.is === 'decision' ? answer.data.message : answer
}

describe('the answer of a plugin', () => {
  it('may be a decision', () => {
    for (const decision of ['Wait', 'Pass', 'Fail'])
      expect(decided('all is well', decision)).to.deep.equal({
        is: 'data',
        data: { is: 'decision', decision, message: 'all is well' },
      })
    expect([shown(undefined), shown(null), shown('')]).to.deep.equal(['', '', ''])
  })

  it('is a decision, whatever its message is', () =>
    expect([7, {}, ['text'], true].map(shown)).to.deep.equal(['', '', '', '']))

  it('may have another member, or a message of any length', () => {
    expect(shown('x'.repeat(256))).to.equal('x'.repeat(256))
    expect(shown('x'.repeat(257))).to.equal(`${'x'.repeat(253)}...`)
    expect(shown(`${'x'.repeat(252)}\u{1f600}${'x'.repeat(9)}`)).to.equal(`${'x'.repeat(252)}...`)
    expect(shown('a\nb\u202e')).to.equal('a\\u000ab\\u202e')
    expect(shown(`${'x'.repeat(250)}\n${'x'.repeat(9)}`)).to.equal(`${'x'.repeat(250)}...`)
    expect(shown('\ud800 ')).to.equal('\ufffd ')
  })

  it('always has a message that can be shown', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        const message = shown(text)
        expect(message).to.be.a('string').with.length.of.at.most(256)
        expect(message).not.to.match(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u)
      }),
      LAW,
    ))

  const DECISION = 'decision: must be Wait, Pass or Fail'
  const wrong: readonly (readonly [json: unknown, words: string])[] = [
    [{ decision: 'pass' }, DECISION],
    [{ decision: ['Pass'] }, DECISION],
    [{}, DECISION],
    [Object.create({ decision: 'Pass' }), DECISION],
    [null, 'the answer must be an object'],
    [['Pass'], 'the answer must be an object'],
    ['Pass', 'the answer must be an object'],
  ]
  for (const [json, message] of wrong)
    it(`is no decision: ${JSON.stringify(json)}`, () =>
      expect(pluginAnswer('Decision', json)).to.deep.equal({ is: 'failed', message }))

  it('may be data of both arms', () => {
    const [treatment, control] = [
      { events: 1, total: 9 },
      { events: 2, total: 80, more: true },
    ]
    expect(pluginAnswer('Ratio', { treatment, control })).to.deep.equal({
      is: 'data',
      data: { is: 'events', treatment: [{ events: 1, exposure: 9 }], control: [{ events: 2, exposure: 80 }] },
    })
  })

  it('may have data of neither or one arm', () => {
    expect(pluginAnswer('Value', { decision: 'Pass' })).to.deep.equal({ is: 'silent', arms: ['treatment', 'control'] })
    expect(pluginAnswer('Value', { treatment: { value: 1 }, control: null })).to.deep.equal({
      is: 'silent',
      arms: ['control'],
    })
  })

  it('has an object for each arm', () => {
    for (const arm of ['treatment', 'control'])
      for (const held of [[], 'text', 7])
        expect(pluginAnswer('Value', { [arm]: held })).to.deep.equal({
          is: 'failed',
          message: `${arm}: must be an object`,
        })
  })

  it('has only own members', () => {
    for (const json of [{ treatment: Object.create({ value: 1 }) }, Object.create({ treatment: { value: 1 } })])
      expect(pluginAnswer('Threshold', json)).to.deep.equal({ is: 'silent', arms: ['treatment'] })
  })
})
