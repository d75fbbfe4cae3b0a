import { expect } from 'chai'
import { UNREAD } from '../../../../common/api/object.ts'
import { MAX_STRUCTURE } from '../../../../common/json/too-structured.ts'
import { MAX_OBJECT_BYTES, ObjectBytes } from '../../../../common/kube/client/objects.ts'
import { socketPieces } from './pieces.ts'

function read(text: string) {
  const object = new ObjectBytes()
  for (const piece of socketPieces(text)) object.add(piece)
  const found = object.read()
  return 'text' in found ? found.text : found.unread[UNREAD]
}

describe('the bytes of an object', () => {
  it('are its text, however they come', () => {
    expect(read('')).to.equal('')
    expect(read('{"a":"é"}')).to.equal('{"a":"é"}')
  })

  it('N29: are read up to 1.5 MiB', () => {
    const text = JSON.stringify('x'.repeat(MAX_OBJECT_BYTES - 2))
    expect(read(text)).to.equal(text)
    expect(read(`${text} `)).to.equal('it is longer than 1.5 MiB')
  })

  it('N29: are read with up to 100,000 characters of structure', () => {
    const text = `[${'"",'.repeat(MAX_STRUCTURE - 2)}""]`
    expect(read(text)).to.equal(text)
    expect(read(`${text},`)).to.equal('it has more than 100,000 keys and items')
  })
})
