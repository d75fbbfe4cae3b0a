import { ANNOTATIONS } from '../../value-cases/annotations.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on annotations of pods', () => testsOf(ANNOTATIONS))
