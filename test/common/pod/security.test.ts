import { SECURITY_CONTEXTS } from '../../value-cases/pods.ts'
import { testsOf } from '../../value-cases/told.ts'

describe('the rules on security contexts', () => testsOf(SECURITY_CONTEXTS))
