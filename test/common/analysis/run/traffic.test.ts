import { expect } from 'chai'
import { choosesRequests, doesTrafficDiffer } from '../../../../common/analysis/run/traffic.ts'
import { LATENCY } from './runs.ts'

const matching = (...matchers: readonly string[]) => ({ ...LATENCY, prometheus: { histogram: 'h', matchers } })
const found = (treatment: number, control: number) => ({ verdict: 'Fail', perPod: { treatment, control } }) as const

describe('the traffic of the pods', () => {
  it('N44: differs if a pod of one version gets more than twice the requests', () => {
    expect([found(10, 21), found(21, 10), found(10, 20)].map((each) => doesTrafficDiffer(each, LATENCY))).to.deep.equal(
      [...[true, true, false]],
    )
  })

  it('N44: does not matter without a verdict, without pods, or where the requests are chosen', () => {
    expect(doesTrafficDiffer({ ...found(1, 9), verdict: 'Wait' }, LATENCY)).to.equal(false)
    expect(doesTrafficDiffer({ verdict: 'Fail' }, LATENCY)).to.equal(false)
    expect(doesTrafficDiffer(found(1, 9), matching('route="/cart"'))).to.equal(false)
  })

  it('N44: is chosen by a matcher on a route, not by any other, or compared by strata', () => {
    for (const chosen of ['route="/cart"', 'http_route=~"/a|/b"', 'path="/a"', 'uri_path="/x"', 'Handler="cart"'])
      expect(choosesRequests(matching(chosen)), chosen).to.equal(true)
    for (const other of ['code=~"5.."', 'cluster="route"', 'path!="/healthz"', 'path!~"/a|/b"'])
      expect(choosesRequests(matching(other)), other).to.equal(false)
    for (const like of [
      'method="GET"',
      'transaction_type="web"',
      'viewer="a"',
      'reroutes="1"',
      'homepage="1"',
      'view="a"',
    ])
      expect(choosesRequests(matching(like)), like).to.equal(false)
    expect(choosesRequests({ ...LATENCY, newRelic: { appName: 'a', testPath: '/cart' } })).to.equal(true)
    expect(choosesRequests({ ...LATENCY, newRelic: { appName: 'a' } })).to.equal(false)
    expect(choosesRequests({ prometheus: { histogram: 'h', stratifyBy: 'code' } }), 'strata').to.equal(true)
  })

  it('N44: is not chosen by a matcher that matches everything', () => {
    for (const all of [
      '.*',
      '.+',
      '',
      '^.*$',
      '(.*)',
      '(?:.+)',
      '(?i).*',
      '/.*',
      '/cart|.*',
      '[^/]*',
      '.{1,}',
      '\\\\S+',
    ])
      expect(choosesRequests(matching(`route=~"${all}"`)), all).to.equal(false)
    for (const all of ['route=""', 'route!=""', 'route!~""'])
      expect(choosesRequests(matching(all)), all).to.equal(false)
    for (const some of ['/', '/cart.*', '/a/[0-9]+|/b', '/(a|b)/.*', '/a\\\\.html'])
      expect(choosesRequests(matching(`route=~"${some}"`)), some).to.equal(true)
  })
})
