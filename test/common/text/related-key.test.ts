import { expect } from 'chai'
import { withLastWord, withSameLetters } from '../../../common/text/related-key.ts'

describe('withLastWord', () => {
  const cases: Record<
    string,
    readonly [found: string, known: string[], required: string[], meant: string | undefined]
  > = {
    'finds the only key with this last word': ['name', ['items', 'secretName'], [], 'secretName'],
    'finds the required one of several': ['port', ['containerPort', 'hostPort'], ['containerPort'], 'containerPort'],
    'finds none of several': ['name', ['nodeName', 'schedulerName'], [], undefined],
    'finds no part of a word': ['name', ['hostname'], [], undefined],
    'finds nothing for several words': ['periodSeconds', ['gracePeriodSeconds'], [], undefined],
    'finds nothing for very short keys': ['fs', ['nodeFs'], [], undefined],
  }
  for (const [sentence, [found, known, required, meant]] of Object.entries(cases))
    it(sentence, () => expect(withLastWord(found, known, required)).to.equal(meant))
})

describe('withSameLetters', () => {
  const cases: Record<string, readonly [found: string, known: string[], meant: string | undefined]> = {
    'finds a key that is longer in the middle': ['secretRef', ['fieldRef', 'secretKeyRef'], 'secretKeyRef'],
    'finds a key that is longer at the end': ['configMap', ['configMapRef', 'prefix'], 'configMapRef'],
    'finds a key that is shorter': ['updateStrategy', ['paused', 'strategy'], 'strategy'],
    'finds a key in another case': ['UpdateStrategy', ['strategy'], 'strategy'],
    'finds none of several': ['volumes', ['volumesXyz', 'volumesAbc'], undefined],
    'finds none that is twice as long': ['mounts', ['volumeMounts'], undefined],
    'finds nothing for very short keys': ['path', ['subPath'], undefined],
    'finds nothing for very long keys': ['x'.repeat(101), ['x'.repeat(100)], undefined],
  }
  for (const [sentence, [found, known, meant]] of Object.entries(cases))
    it(sentence, () => expect(withSameLetters(found, known)).to.equal(meant))
})
