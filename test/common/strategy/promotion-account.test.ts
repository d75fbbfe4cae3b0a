import { expect } from 'chai'
import { boundedOverride } from '../../../common/api/decode.ts'
import { at, type JsonObject } from '../../../common/json/json.ts'
import { mergePatch } from '../../../common/override/strategic.ts'
import { isInPlace, patchText, promotionOf } from '../../../common/strategy/promotion.ts'
import { POD } from '../../builders.ts'

const specOf = (pod: JsonObject): JsonObject => ({ template: { spec: { containers: [], ...pod } } })
const accountIn = (spec: JsonObject) => {
  const { serviceAccountName, serviceAccount } = at(spec, 'template', 'spec') as JsonObject
  return [serviceAccountName, serviceAccount]
}

/** As the API server stores it: the deprecated name is a copy of the other, which is taken from it if it is missing. */
function stored(spec: JsonObject): JsonObject {
  const [name, alias] = accountIn(spec)
  const { serviceAccountName: _name, serviceAccount: _alias, ...others } = at(spec, 'template', 'spec') as JsonObject
  const account = name || alias
  return specOf({ ...others, ...(account ? { serviceAccountName: account, serviceAccount: account } : {}) })
}

const BOTH = { serviceAccountName: 'a', serviceAccount: 'a' }

function promoted(spec: JsonObject, pod: JsonObject, overrideType: 'Merge' | 'Strategic' = 'Merge') {
  const of = { spec, overrideSpec: boundedOverride({ template: { spec: pod } }), overrideType, shape: POD }
  const found = promotionOf(of)
  if (!found) throw new Error('the override can be merged')
  return { of, found, isDone: isInPlace(spec, found.forward, POD) }
}

describe('D1: the promotion of a service account', () => {
  const cases: Readonly<Record<string, readonly [before: JsonObject, override: JsonObject, account?: string]>> = {
    'sets one where there was none': [{}, { serviceAccountName: 'x' }, 'x'],
    'replaces one': [BOTH, { serviceAccountName: 'x' }, 'x'],
    'takes one away': [BOTH, { serviceAccountName: null }],
    'takes one away by both names': [BOTH, { serviceAccountName: null, serviceAccount: null }],
    'honours the deprecated name alone': [BOTH, { serviceAccount: 'x' }, 'x'],
    'prefers the other name': [BOTH, { serviceAccountName: 'x', serviceAccount: 'y' }, 'x'],
  }
  for (const [sentence, [before, override, account]] of Object.entries(cases))
    it(`${sentence}, and back`, () => {
      const spec = specOf(before)
      const { found, isDone } = promoted(spec, override)
      const { forward, inverse } = found
      expect(isDone).to.equal(false)
      const after = stored(mergePatch(spec, forward))
      expect(accountIn(after)).to.deep.equal([account, account])
      expect(promoted(after, override).isDone).to.equal(true)
      expect(stored(mergePatch(after, inverse))).to.deep.equal(stored(spec))
    })

  it('changes nothing if the account stays, under whichever names the source has it', () => {
    for (const before of [BOTH, { serviceAccountName: 'a' }, { serviceAccount: 'a' }])
      for (const override of [{ serviceAccountName: 'a' }, { serviceAccount: 'a' }, { serviceAccount: null }]) {
        const { isDone, found } = promoted(specOf(before), override)
        expect([isDone, found.forward], JSON.stringify([before, override])).to.deep.equal([true, {}])
      }
  })

  it('names the account once in the patch for a manifest, as manifests do', () => {
    for (const type of ['Merge', 'Strategic'] as const) {
      const { of, found } = promoted(specOf(BOTH), { serviceAccountName: 'x' }, type)
      expect(JSON.parse(patchText(of, found) ?? '')).to.deep.equal([
        { op: 'replace', path: '/spec/template/spec/serviceAccountName', value: 'x' },
      ])
    }
  })
})
