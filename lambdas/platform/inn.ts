const weights10 = [2, 4, 10, 3, 5, 9, 4, 6, 8];
const weights11 = [7, 2, 4, 10, 3, 5, 9, 4, 6, 8];
const weights12 = [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8];

/** Returns whether a text is a Russian taxpayer number (ИНН): 10 or 12 digits, with valid check digits. */
export function isInn(digits: string): boolean {
  // The first two digits are the region, and no region is 00.
  if (!/^(?!00)\d{10,12}$/.test(digits)) return false;
  if (digits.length !== 12) return digits.length === 10 && checkDigit(digits, weights10) === digits[9];
  return checkDigit(digits, weights11) === digits[10] && checkDigit(digits, weights12) === digits[11];
}

function checkDigit(digits: string, weights: number[]): string {
  let sum = 0;
  for (const [index, weight] of weights.entries()) sum += weight * (digits.charCodeAt(index) - 0x30);
  return String((sum % 11) % 10);
}
