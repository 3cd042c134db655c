/**
 * API keys are stored until the tab is closed, the user signs out, or the gateway rejects the management key; theme and
 * language are stored permanently.
 */

const MANAGEMENT_KEY = 'console.management-key';
const INFERENCE_KEY = 'console.inference-key';

function slot(storage: () => Storage, name: string) {
  return {
    read: () => storage().getItem(name) ?? undefined,
    write: (value: string) => storage().setItem(name, value),
    forget: () => storage().removeItem(name),
  };
}

export const managementKeySlot = slot(() => sessionStorage, MANAGEMENT_KEY);
export const inferenceKeySlot = slot(() => sessionStorage, INFERENCE_KEY);
export const languageSlot = slot(() => localStorage, 'console.language');
export const themeSlot = slot(() => localStorage, 'console.theme');
