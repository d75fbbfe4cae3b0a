import { expect } from 'chai'
import { UNREAD } from '../../../../common/api/object.ts'
import { MAX_STRUCTURE } from '../../../../common/json/too-structured.ts'
import { MAX_OBJECT_BYTES, ObjectBytes } from '../../../../common/kube/client/objects.ts'
import { socketPieces } from './pieces.ts'

function read(text: string, start: 'event' | 'object' = 'object') {
  const object = new ObjectBytes(start)
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

  const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

  it('N37d: are read at any depth if they are experiments, whose status says where they are too deep', () => {
    const experiment = (kind: string) =>
      `{"apiVersion":"experimentcontroller.example.com/v1alpha1","kind":"${kind}","metadata":{"name":"a"},"spec":${nested(5_000)}}`
    const [alone, event] = [
      experiment('ExperimentDeployment'),
      `{"type":"ADDED","object":${experiment('ExperimentDeployment')}}`,
    ]
    expect(read(alone)).to.equal(alone)
    expect(read(event, 'event')).to.equal(event)
    expect(read(experiment('ExperimentPolicy'))).to.equal('it is nested deeper than 100 levels')
    expect(read(`{"a":${experiment('ExperimentDeployment')}}`)).to.equal('it is nested deeper than 100 levels')
  })

  it('N37d: are read with up to 100 levels, of an event with one more around it', () => {
    expect(read(nested(100))).to.equal(nested(100))
    expect(read(nested(101))).to.equal('it is nested deeper than 100 levels')
    expect(read(nested(9_000))).to.equal('it is nested deeper than 100 levels')
    expect(read(nested(101), 'event')).to.equal(nested(101))
    expect(read(nested(102), 'event')).to.equal('it is nested deeper than 100 levels')
  })
})
