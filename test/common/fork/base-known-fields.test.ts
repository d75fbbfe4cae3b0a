import { expect } from 'chai'
import { pruneUnknownFields } from '../../../common/fork/base.ts'
import type { Json } from '../../../common/json/json.ts'
import type { KnownFields } from '../../../common/override/spec-schema.ts'

const ANYTHING: KnownFields = {}
const KNOWN: KnownFields = {
  members: new Map<string, KnownFields>([
    ['labels', ANYTHING],
    [
      'spec',
      {
        members: new Map<string, KnownFields>([
          ['containers', { items: { members: new Map([['name', ANYTHING]]) } }],
          ['priority', ANYTHING],
        ]),
      },
    ],
  ]),
}

const cases: Record<string, readonly [value: Json, result: Json]> = {
  'removes unknown members of objects': [
    { spec: { priority: 1, hostUsers: true }, status: {} },
    { spec: { priority: 1 } },
  ],
  'removes unknown members of items': [
    { spec: { containers: [{ name: 'a', resizePolicy: [] }, { name: 'b' }] } },
    { spec: { containers: [{ name: 'a' }, { name: 'b' }] } },
  ],
  'keeps everything where anything is known': [{ labels: { any: ['thing'] } }, { labels: { any: ['thing'] } }],
  'keeps a scalar where an object is known': [{ spec: 'x' }, { spec: 'x' }],
  'keeps a list where an object is known': [{ spec: [{ a: 1 }] }, { spec: [{ a: 1 }] }],
  'keeps an object where a list is known': [{ spec: { containers: { a: 1 } } }, { spec: { containers: { a: 1 } } }],
  'keeps null': [{ spec: null }, { spec: null }],
}

describe('pruneUnknownFields', () => {
  for (const [sentence, [value, result]] of Object.entries(cases))
    it(sentence, () => expect(pruneUnknownFields(value, KNOWN)).to.deep.equal(result))
})
