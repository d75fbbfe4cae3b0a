import { expect } from 'chai'
import {
  base64In,
  flagIn,
  inside,
  itemsIn,
  requiredText,
  textIn,
  textsIn,
} from '../../../../common/kube/config/found.ts'

const FILE = '/home/me/config: '
const found = (value: unknown) => ({ place: FILE, value })

describe('the decoder of kubeconfigs', () => {
  it('reads what is there', () => {
    const map = found({ text: 'a', flag: true, list: ['b', 'c'], base64: 'ZsO8cg==' })
    expect(textIn(map, 'text')).to.equal('a')
    expect(requiredText(map, 'text', 'say it')).to.equal('a')
    expect(flagIn(map, 'flag')).to.equal(true)
    expect(textsIn(map, 'list')).to.deep.equal(['b', 'c'])
    expect(base64In(map, 'base64')).to.equal('für')
    expect(inside(inside(map, 'a'), 'b').place).to.equal(`${FILE}a.b`)
    expect(itemsIn(map, 'list').map(({ place }) => place)).to.deep.equal([`${FILE}list[0]`, `${FILE}list[1]`])
  })

  it('takes null and an empty text as absent, as Go does', () => {
    const map = found({ none: null, empty: '' })
    for (const key of ['none', 'empty', 'absent', 'toString']) expect(textIn(map, key), key).to.equal(undefined)
    expect(flagIn(map, 'none')).to.equal(false)
    expect(textsIn(map, 'none')).to.deep.equal([])
    expect(base64In(map, 'empty')).to.equal(undefined)
    expect(textIn(found(null), 'a')).to.equal(undefined)
  })

  const refused: Record<string, readonly [() => unknown, string]> = {
    'a number where a text belongs': [
      () => textIn(found({ token: 12 }), 'token'),
      'token must be a text, in quotes if it looks like a number, found a number',
    ],
    'a text where a flag belongs': [
      () => flagIn(found({ on: 'true' }), 'on'),
      'on must be true or false, found another text',
    ],
    'a map where a list belongs': [() => textsIn(found({ args: {} }), 'args'), 'args must be a list, found a map'],
    'a flag where a text of a list belongs': [
      () => textsIn(found({ args: ['a', true] }), 'args'),
      'args[1] must be a text, found true or false without quotes',
    ],
    'a list where a map belongs': [
      () => textIn({ place: `${FILE}user`, value: [] }, 'a'),
      'user must be a map, found a list',
    ],
    'an absent text that must be there': [() => requiredText(found({}), 'name', 'say it'), 'name is missing: say it'],
    'base64 of which a part is missing': [
      () => base64In(found({ data: 'Zsec' + 'r' }), 'data'),
      'data must be base64: copy it again, with every character',
    ],
  }
  for (const [what, [read, message]] of Object.entries(refused))
    it(`refuses ${what}, and names no value`, () =>
      expect(read)
        .to.throw(Error)
        .with.property('message', FILE + message))
})
