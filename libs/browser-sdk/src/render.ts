// What shows a campaign, without the client of a page: a preview shows what a storefront will.
export { showChatbot } from './show-chatbot.js';
export { showOverlay } from './show-overlay.js';
export { showRecommendations } from './show-recommendations.js';
export type { Campaign, Chatbot, Overlay, Quiz, Recommendations, Stage } from './campaign-types.js';
