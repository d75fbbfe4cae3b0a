import { expect } from 'chai'
import { takenBackOrder } from '../../../common/strategy/take-back.ts'

/** The order of `present`, after the change from `before` to `after` is taken back. */
const ordered = (before: string, after: string, present: string) => {
  const [was, became, is] = [before, after, present].map((names) => names.split(''))
  const removed = (name: string) => became?.includes(name) && !was?.includes(name)
  const back = was?.filter((name) => !became?.includes(name) && !is?.includes(name)) ?? []
  const names = [...(is?.filter((name) => !removed(name)) ?? []), ...back]
  return takenBackOrder({ before: was, after: became }, names, is ?? []).join('')
}

describe('the order of a list after a promotion is taken back', () => {
  const cases: Readonly<Record<string, readonly [before: string, after: string, present: string, back: string]>> = {
    'is the former one': ['abc', 'cba', 'cba', 'abc'],
    'is the former one beside items of others': ['abc', 'cba', 'xcbya', 'xabyc'],
    'is that of others, who have changed it since': ['abc', 'cba', 'bca', 'bca'],
    'has what comes back behind what it was behind': ['abcd', 'ad', 'axd', 'abcxd'],
    'begins with what was first': ['abc', 'bc', 'xbc', 'axbc'],
    'is the present one without what goes': ['ac', 'abc', 'abxc', 'axc'],
    'is not changed where the promotion did not': ['abc', 'ab', 'ba', 'bca'],
  }
  for (const [title, [before, after, present, back]] of Object.entries(cases))
    it(`N11: ${title}`, () => expect(ordered(before, after, present)).to.equal(back))
})
